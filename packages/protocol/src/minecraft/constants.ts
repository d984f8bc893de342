/** The version that our messages carry. Another minor version only adds fields. */
export const DIALECT_VERSION = "1.0.0";

/** The largest message a bridge takes from a server, in bytes: a world query with a radius of 16 fits. */
export const MAX_FROM_SERVER_BYTES = 8 * 1_024 * 1_024;

/** The largest message a server takes from a bridge, in bytes. */
export const MAX_TO_SERVER_BYTES = 256 * 1_024;

/** Values in one message: a world query with a radius of 16 has some 270,000, each with its place. */
export const MAX_MESSAGE_VALUES = 500_000;

/** The longest command that is allowed whatever the patterns say, in UTF-16 units. */
export const MAX_COMMAND_LENGTH = 256;

export const MAX_BATCH = 100;

/** Blocks that one call may change or search: the limit of the game's own `fill`. */
export const MAX_CELLS = 32_768;

/** Blocks in one `set_blocks`: more would not fit into a message. */
export const MAX_SET_BLOCKS = 4_096;

/** The longest text of `send_message`, in UTF-16 units. */
export const MAX_MESSAGE_LENGTH = 1_000;

export const MAX_RADIUS = 16;

/** How long a bridge waits for an answer unless its answer to the hello says otherwise. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** How long a server works on a request before it answers with TIMEOUT: less than the bridge waits, so that the caller gets the reason. */
export function deadlineOf(timeoutMs: number): number {
  return Math.floor(timeoutMs - Math.min(5_000, timeoutMs / 6));
}

/** How long work in several steps goes on: the rest is for the report of how far it came. */
export function stepsOf(timeoutMs: number): number {
  const deadline = deadlineOf(timeoutMs);
  return Math.floor(deadline - Math.min(1_000, deadline / 10));
}

export const DEFAULT_SERVER_NAME = "minecraft";

/** Documentation shows this token; a bridge or an agent that accepted it would be open to all. */
export const EXAMPLE_TOKEN = "secret";

export const ServerErrorCode = {
  authFailed: "AUTH_FAILED",
  permissionDenied: "PERMISSION_DENIED",
  invalidCommand: "INVALID_COMMAND",
  invalidArgs: "INVALID_ARGS",
  playerNotFound: "PLAYER_NOT_FOUND",
  connectionError: "CONNECTION_ERROR",
  schemaError: "SCHEMA_ERROR",
  serverError: "SERVER_ERROR",
  timeout: "TIMEOUT",
} as const;

export type ServerErrorCode = (typeof ServerErrorCode)[keyof typeof ServerErrorCode];

export const ServerCloseCode = {
  goingAway: 1001,
  binary: 1003,
  policy: 1008,
  /** The token is missing or wrong; dialling again will not help. */
  unauthorized: 4401,
  authTimeout: 4408,
  replaced: 4409,
  nameTaken: 4423,
  tooManyLinks: 4429,
} as const;

export type ServerCloseCode = (typeof ServerCloseCode)[keyof typeof ServerCloseCode];
