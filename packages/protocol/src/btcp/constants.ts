/** Bytes; fits a 1 MB result and its JSON overhead. */
export const MAX_FROM_PAGE_BYTES = 4 * 1_024 * 1_024;

export const MAX_TO_PAGE_BYTES = 1_024 * 1_024;

export const MAX_PAGE_TOOLS = 100;

/** UTF-16 units of the JSON of one tool. */
export const MAX_TOOL_LENGTH = 65_536;

export const MAX_TOOLS_LENGTH = 1_048_576;

export const MAX_TOOL_NAME_LENGTH = 64;
export const MAX_DESCRIPTION_LENGTH = 1_000;
export const MAX_TITLE_LENGTH = 80;

export const MAX_CAPABILITIES = 32;

export const MAX_BLOCKS = 100;

export const MAX_ERROR_LENGTH = 4_096;

export const DEFAULT_CALL_MS = 30_000;
export const MIN_CALL_MS = 1_000;
export const MAX_CALL_MS = 300_000;

/** Every client of this protocol answers these without registration; one is an `eval`. */
export const UNASKED_TOOLS: ReadonlySet<string> = new Set(["echo", "evaluate"]);

export const META_TOOL_PREFIX = "__btcp_";

export const REQUEST_CAPABILITIES = "__btcp_request_capabilities";

/** Clients reconnect after each of these codes, so the reason says what to fix. */
export const PageCloseCode = {
  goingAway: 1001,
  binary: 1003,
  policy: 1008,
  refused: 4403,
  expired: 4408,
  /** A connection of the same tab took its place. */
  replaced: 4409,
  tooManyPages: 4429,
} as const;

export type PageCloseCode = (typeof PageCloseCode)[keyof typeof PageCloseCode];
