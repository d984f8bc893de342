import { ServerErrorCode } from "@ccbridge/protocol/minecraft";

export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: ServerErrorCode;
  readonly details: Record<string, unknown> | undefined;

  constructor(
    code: ServerErrorCode,
    message: string,
    options: ErrorOptions & { details?: Record<string, unknown> } = {},
  ) {
    super(message, options);
    this.code = code;
    this.details = options.details;
  }
}

export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  return new RequestError(ServerErrorCode.serverError, messageOf(error).slice(0, 500), {
    cause: error,
  });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
