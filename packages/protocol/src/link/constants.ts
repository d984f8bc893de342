/** The newest link protocol this package describes. Version 1 stays valid forever. */
export const PROTOCOL_VERSION = 2;

/** What CC:Tweaked takes and sends in one WebSocket message by default, in bytes. More kills the socket. */
export const CC_FRAME_BYTES = 131_072;

/** The largest frame to put on the wire: a margin below {@link CC_FRAME_BYTES}, in bytes. */
export const SAFE_FRAME_BYTES = CC_FRAME_BYTES - 1_024;

/** The smallest `maxFrame` a peer may ask for: below it a chunk would be mostly envelope. */
export const MIN_FRAME_BYTES = 1_024;

/** The largest chunked frame a bridge sends to an agent, in bytes: a computer parses it inside its 7 s. */
export const MAX_TO_AGENT_BYTES = 4 * 1_024 * 1_024;

/** The largest chunked frame a bridge takes from an agent, in bytes. */
export const MAX_FROM_AGENT_BYTES = 16 * 1_024 * 1_024;

/**
 * WebSocket close codes of the link. The 44xx ones are read as the HTTP status they resemble; an
 * agent shows `reason` to the player and reconnects, except after `unauthorized`.
 */
export const LinkCloseCode = {
  goingAway: 1001,
  binary: 1003,
  policy: 1008,
  tooBig: 1009,
  badHello: 4400,
  unauthorized: 4401,
  helloTimeout: 4408,
  replaced: 4409,
  silent: 4410,
  notReading: 4411,
  tooManyLinks: 4429,
} as const;

export type LinkCloseCode = (typeof LinkCloseCode)[keyof typeof LinkCloseCode];

/** Why a bridge refuses a hello, as sent in `hello-error`. */
export const HelloErrorCode = {
  badHello: "bad-hello",
  unauthorized: "unauthorized",
  tooManyLinks: "too-many-links",
  shuttingDown: "shutting-down",
  /** Only paired computers may link, and this agent cannot be paired, or not now. */
  pairing: "pairing",
} as const;

export type HelloErrorCode = (typeof HelloErrorCode)[keyof typeof HelloErrorCode];

/** Errors of a response that are part of the protocol. Others are words for a person. */
export const ResponseError = {
  unknownMethod: "unknown method",
  /** How the error of exec-lua begins when nothing ran. */
  syntax: "syntax error",
} as const;

/** Capabilities that an agent may list in `hello.features`. Version 1 agents have none. */
export const Feature = {
  /** Understands `cancel` and stops the request in the game. */
  cancel: "cancel",
  /** Sends `output` frames while a request runs. */
  output: "output",
  chunk: "chunk",
  jobs: "jobs",
  acks: "acks",
  /**
   * Joins escaped surrogate pairs, so nothing but ASCII need be sent: raw characters above U+FFFF do not
   * survive the game before CC:Tweaked 1.109.
   */
  surrogates: "surrogates",
  /** Shows the code of a `pairing` frame to the player, keeps the secret of `paired`, and says hello again. */
  pairing: "pairing",
  /** Keeps its token, secret and instance where no request but Lua code reaches them. */
  keys: "keys",
} as const;

export type Feature = (typeof Feature)[keyof typeof Feature];
