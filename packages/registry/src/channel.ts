export interface Channel {
  /** Queues one text message. Must not throw, even when the peer is gone. */
  send(text: string): void;
  /** Starts an orderly close. The session's `closed()` must be called once it is through. */
  close(code: number, reason: string): void;
  /** Bytes that were queued and not yet taken by the peer. */
  readonly bufferedBytes: number;
  ping?(): void;
}

/** What is known of a connection before its hello. */
export interface Origin {
  address: string;
  token?: string | undefined;
  /** Whether the peer runs on the bridge's own machine: its address is loopback, and no proxy is in between. */
  isLocal?: boolean | undefined;
  forwardedFor?: string | undefined;
}
