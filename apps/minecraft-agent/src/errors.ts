import type { ServerErrorCode } from "@ccbridge/protocol/minecraft";

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

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
