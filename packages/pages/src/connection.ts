export interface Message {
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { message?: unknown };
}

export interface ConnectionEvents {
  onOpen(): void;
  onMessage(message: Message): void;
  onLost(reason: string | undefined): void;
  /** Another page has the tab of this one, such as a copy of it. */
  onReplaced(): void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** Idle time before a ping; after twice this time the connection is dropped. */
const SILENCE_MS = 30_000;
/** Not allowed, and too many pages. */
const REFUSED = [4403, 4429];
const REPLACED = 4409;

export class Connection {
  readonly #url: () => string;
  readonly #events: ConnectionEvents;
  #socket: WebSocket | undefined;
  #waitMs = FIRST_WAIT_MS;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #refusal: string | undefined;

  constructor(url: () => string, events: ConnectionEvents) {
    this.#url = url;
    this.#events = events;
    globalThis.addEventListener?.("online", this.#dialNow);
    this.#dial();
  }

  /** Dropped while disconnected. */
  send(message: object): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  close(): void {
    globalThis.removeEventListener?.("online", this.#dialNow);
    clearTimeout(this.#retry);
    clearTimeout(this.#silence);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close(1000, "The page has closed its connection.");
  }

  readonly #dialNow = (): void => {
    if (this.#socket === undefined) this.#dial();
  };

  #dial(): void {
    clearTimeout(this.#retry);
    const socket = new WebSocket(this.#url());
    this.#socket = socket;
    this.#refusal = undefined;
    socket.onopen = () => {
      this.#heard();
      this.#events.onOpen();
    };
    // An abandoned socket may still deliver messages.
    socket.onmessage = ({ data }) => this.#socket === socket && this.#receive(data);
    socket.onclose = ({ code, reason }) => this.#socket === socket && this.#lost(code, reason);
  }

  #receive(data: unknown): void {
    this.#heard();
    const message = parse(data);
    if (message?.method === "bridge/refused") this.#refusal = String(message.params?.message);
    else if (message !== undefined) {
      this.#waitMs = FIRST_WAIT_MS;
      this.#events.onMessage(message);
    }
  }

  #lost(code: number | undefined, reason: string): void {
    clearTimeout(this.#silence);
    this.#socket = undefined;
    const shown = this.#refusal ?? (reason || undefined);
    if (code !== undefined && REFUSED.includes(code)) {
      this.#waitMs = LONGEST_WAIT_MS;
      console.error(`ccbridge: ${shown}`);
    }
    if (code === REPLACED) this.#events.onReplaced();
    // Jitter: pages that lost the same bridge should not reconnect at once.
    this.#retry = setTimeout(() => this.#dial(), this.#waitMs * (0.75 + Math.random() / 2));
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
    this.#events.onLost(shown);
  }

  #heard(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      this.send({ id: "ping", method: "ping", params: {} });
      this.#silence = setTimeout(() => {
        this.#socket?.close();
        this.#lost(undefined, "The bridge does not answer.");
      }, SILENCE_MS);
    }, SILENCE_MS);
  }
}

function parse(data: unknown): Message | undefined {
  try {
    const value: unknown = JSON.parse(String(data));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
