/** The largest message or body a bridge takes from a page, in bytes: a result of 1 MB and its JSON fit. */
export const MAX_FROM_PAGE_BYTES = 4 * 1_024 * 1_024;

/** The largest message a bridge sends to a page, in bytes. */
export const MAX_TO_PAGE_BYTES = 1_024 * 1_024;

/** Tools that one page may register; more are left out, and named. */
export const MAX_PAGE_TOOLS = 100;

/** One tool as the page wrote it, in UTF-16 units of its JSON. */
export const MAX_TOOL_LENGTH = 65_536;

/** All tools of one page together, in the same measure. */
export const MAX_TOOLS_LENGTH = 1_048_576;

export const MAX_TOOL_NAME_LENGTH = 64;
export const MAX_DESCRIPTION_LENGTH = 1_000;

/** Capabilities that one tool may name, or one request may ask for. */
export const MAX_CAPABILITIES = 32;

/** Blocks of one result; the rest is counted. */
export const MAX_BLOCKS = 100;

/** The text of an error that is passed on. */
export const MAX_ERROR_LENGTH = 4_096;

/** How long a call may take when the tool does not say, and what a tool may ask for. */
export const DEFAULT_CALL_MS = 30_000;
export const MIN_CALL_MS = 1_000;
export const MAX_CALL_MS = 300_000;

/** Names that every client of this protocol answers without having registered them; one is an `eval`. */
export const UNASKED_TOOLS: ReadonlySet<string> = new Set(["echo", "evaluate"]);

/** Names that a bridge keeps for itself begin like this. */
export const META_TOOL_PREFIX = "__btcp_";

/** The meta-tool by which an agent asks for capabilities. */
export const REQUEST_CAPABILITIES = "__btcp_request_capabilities";

/** WebSocket close codes. Clients come back after every one of them, so each also says something. */
export const CloseCode = {
  /** The bridge is stopping. */
  goingAway: 1001,
  /** A binary message: this protocol is JSON text. */
  binary: 1003,
  /** Too many malformed messages. */
  policy: 1008,
  /** The page's origin is not on the list, or its token is wrong. */
  refused: 4403,
  /** The session has ended: its time is over. */
  expired: 4408,
  /** As many pages as there may be. */
  tooManyPages: 4429,
} as const;

export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode];
