import { ServerErrorCode } from "@ccbridge/protocol/minecraft";

export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: ServerErrorCode;
  readonly details: Record<string, unknown> | undefined;
  /** The game may have done what it was asked, though it gave no answer. */
  readonly mayHaveRun: boolean;

  constructor(
    code: ServerErrorCode,
    message: string,
    options: ErrorOptions & { details?: Record<string, unknown>; mayHaveRun?: boolean } = {},
  ) {
    super(message, options);
    this.code = code;
    this.details = options.details;
    this.mayHaveRun = options.mayHaveRun ?? false;
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
