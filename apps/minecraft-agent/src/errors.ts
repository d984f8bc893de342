import type { ErrorCode } from "@ccbridge/protocol/minecraft";

/** Why a request could not be served; goes to the bridge as it is. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: ErrorOptions & { details?: Record<string, unknown> } = {},
  ) {
    super(message, options);
    this.code = code;
    this.details = options.details;
  }
}

/** Something that is thrown, as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
