/**
 * One message connection to a provider, whatever carries it. A session writes to it; the owner of
 * the socket feeds the session.
 */
export interface Channel {
  /** Queues one text message. Must not throw, even when the peer is gone. */
  send(text: string): void;
  /** Starts an orderly close. The session's `closed()` must be called once it is through. */
  close(code: number, reason: string): void;
  /** Bytes that were queued and not yet taken by the peer. */
  readonly bufferedBytes: number;
  /** Asks the socket at the other end for a sign of life, for dialects that have no words for it. */
  ping?(): void;
}

/** What is known of a connection before its hello. */
export interface Origin {
  /** The peer's address, for logs. */
  address: string;
  /** A token that came with the connection itself, as in a header or the URL. */
  token?: string | undefined;
  /** Whether the peer runs on the bridge's own machine: its address is loopback, and no proxy is in between. */
  isLocal?: boolean | undefined;
  /** The address for which a proxy says that it connects. A peer can claim anything here. */
  forwardedFor?: string | undefined;
}
