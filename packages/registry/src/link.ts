import {
  type AgentFrame,
  ChunkJoiner,
  CloseCode,
  decodeAgentFrame,
  encodeFrame,
  Feature,
  type Hello,
  type Response,
  splitFrame,
  utf8Length,
} from "@ccbridge/protocol";
import type { Channel, Origin } from "./channel.js";
import { LinkError, LinkErrorCode } from "./errors.js";
import { computerName, type Identity } from "./identity.js";
import { PendingRequests, type RequestOptions } from "./pending-requests.js";
import type { RegistryHost } from "./registry-host.js";

/**
 * One connection of a provider, from the first byte to the last. Its owner feeds it with `receive`,
 * `receiveBinary` and `closed`; callers use `request`.
 */
export class Link {
  readonly origin: Origin;
  readonly linkedAt = Date.now();
  readonly #host: RegistryHost;
  readonly #channel: Channel;
  // Made for the first request: most of thousands of links are never asked anything.
  #pending: PendingRequests | undefined;
  #joiner: ChunkJoiner | undefined;
  #identity: Identity | undefined;
  #maxFrame: number;
  #helloTimer: ReturnType<typeof setTimeout> | undefined;
  #open = true;
  #lastSeen = performance.now();
  #lastPing = this.#lastSeen;
  #heartbeatId: string | undefined;
  #unresponsive = false;
  #malformedInRow = 0;
  #problemReported = false;

  constructor(host: RegistryHost, channel: Channel, origin: Origin) {
    this.#host = host;
    this.#channel = channel;
    this.origin = origin;
    this.#maxFrame = host.limits.maxFrameBytes;
    this.#helloTimer = setTimeout(() => this.#onHelloTimeout(), host.limits.helloTimeoutMs);
  }

  /** Who this is. Only linked ones are ever handed out, so it is always known to a caller. */
  get identity(): Identity {
    if (this.#identity === undefined) throw new Error("this link has not said hello");
    return this.#identity;
  }

  /** The provider's key once it said hello. */
  get key(): string | undefined {
    return this.#identity?.key;
  }

  /** The provider's name in errors and logs. */
  get name(): string {
    return this.#identity === undefined
      ? this.origin.address
      : `computer ${computerName(this.#identity)}`;
  }

  get state(): "live" | "unresponsive" {
    return this.#unresponsive ? "unresponsive" : "live";
  }

  /** When the last frame came, as milliseconds since 1970. */
  get lastSeenAt(): number {
    return Math.round(Date.now() - (performance.now() - this.#lastSeen));
  }

  get runningRequests(): number {
    return this.#pending?.size ?? 0;
  }

  supports(feature: Feature): boolean {
    return this.#identity?.features.includes(feature) === true;
  }

  /**
   * Asks the provider. Resolves with its answer, be it ok or not; rejects with a {@link LinkError} when
   * there is none.
   */
  request(method: string, params: unknown, options: RequestOptions): Promise<Response> {
    try {
      return this.#ask(method, params, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #ask(method: string, params: unknown, options: RequestOptions): Promise<Response> {
    if (options.signal?.aborted) {
      throw new LinkError(LinkErrorCode.cancelled, `${method} on ${this.name} was cancelled`);
    }
    if (!this.#open) throw this.#host.goneError(`${method} on ${this.name}`);
    this.#pending ??= new PendingRequests({
      deadlines: this.#host.deadlines,
      name: () => this.name,
      cancel: (id, reason) => this.#sendCancel(id, reason),
    });
    if (this.#pending.size >= this.#host.limits.maxPending) {
      throw new LinkError(
        LinkErrorCode.tooManyRequests,
        `${this.name} already has ${this.#pending.size} requests waiting, which is the limit`,
      );
    }
    const id = this.#host.nextId();
    const text = encodeFrame({ type: "request", id, method, params });
    const refusal = this.refusalOf(text);
    if (refusal !== undefined) throw refusal;
    // Waiting starts before sending: an in-memory channel may answer at once.
    const answer = this.#pending.add(id, method, options);
    this.transmit(text, id);
    return answer;
  }

  /** Sends the text of a small frame that wants no answer. */
  send(text: string): void {
    if (this.#open) this.#channel.send(text);
  }

  /** Why a frame cannot be sent, found out before a byte of it is. */
  refusalOf(text: string): LinkError | undefined {
    const { maxToAgentBytes, maxBufferedBytes } = this.#host.limits;
    const small = text.length * 3 <= this.#maxFrame;
    const bytes = small ? text.length : utf8Length(text);
    const limit = small || !this.supports(Feature.chunk) ? this.#maxFrame : maxToAgentBytes;
    if (bytes > limit) {
      return new LinkError(
        LinkErrorCode.tooLarge,
        `The request is ${bytes} bytes long, and ${this.name} takes at most ${limit}`,
      );
    }
    if (this.#channel.bufferedBytes + bytes > maxBufferedBytes) {
      return new LinkError(
        LinkErrorCode.notReading,
        `${this.name} does not read what was sent to it: ${this.#channel.bufferedBytes} bytes wait`,
      );
    }
    return undefined;
  }

  /** Sends the text of a frame, in chunks where it must. `transfer` names them. */
  transmit(text: string, transfer: string): void {
    if (text.length * 3 <= this.#maxFrame) return this.#channel.send(text);
    for (const message of splitFrame(text, this.#maxFrame, transfer)) this.#channel.send(message);
  }

  /** Takes a text message from the provider. Never throws; the channel bounds its size. */
  receive(text: string): void {
    if (!this.#open) return;
    this.#seen();
    this.#read(text, false);
  }

  /** Takes notice of a binary message, which no agent may send. */
  receiveBinary(): void {
    if (!this.#open) return;
    this.#problem("a binary message");
    this.#shut(CloseCode.binary, "the link takes JSON text only");
  }

  /** Takes notice that the connection is gone. */
  closed(reason: string): void {
    if (!this.#open) return;
    this.#end(reason, LinkErrorCode.disconnected, "the link dropped");
  }

  /** Ends the link from this side; everything that waits fails with `code`. */
  shut(closeCode: number, reason: string, code: LinkErrorCode): void {
    if (!this.#open) return;
    this.#channel.close(closeCode, reason);
    this.#end(reason, code, reason);
  }

  /** Sends a hello-error and closes: this connection will not become a link. */
  refuse(closeCode: number, code: string, message: string): void {
    if (!this.#open) return;
    this.#channel.send(encodeFrame({ type: "hello-error", code, message }));
    this.#host.refused(this.origin, message);
    this.#channel.close(closeCode, message.slice(0, 120));
    this.#end(message, LinkErrorCode.disconnected, message);
  }

  /** Called now and then: pings a quiet provider, marks a silent one, drops a lost one. */
  checkHeartbeat(now: number): void {
    if (!this.#open || this.#identity === undefined) return;
    const { heartbeatMs, unresponsiveAfterMs, dropAfterMs } = this.#host.limits;
    const silentMs = now - this.#lastSeen;
    if (silentMs >= dropAfterMs) {
      const reason = `silent for ${Math.round(silentMs / 1_000)} s`;
      this.shut(CloseCode.silent, reason, LinkErrorCode.silent);
      return;
    }
    if (silentMs >= unresponsiveAfterMs && !this.#unresponsive) {
      this.#unresponsive = true;
      this.#host.unresponsive(this);
    }
    if (silentMs >= heartbeatMs && now - this.#lastPing >= heartbeatMs) {
      this.#lastPing = now;
      // Its answer needs no bookkeeping: any frame at all is a sign of life.
      if (this.#channel.bufferedBytes < this.#host.limits.maxBufferedBytes) {
        this.#heartbeatId = this.#host.nextId();
        this.#channel.send(encodeFrame({ type: "request", id: this.#heartbeatId, method: "ping" }));
      }
    }
  }

  /** Accepts the hello: this connection is now the provider's link. */
  welcome(identity: Identity, hello: Hello, jobs?: { id: string; seq: number }[]): void {
    clearTimeout(this.#helloTimer);
    this.#helloTimer = undefined;
    if (this.#identity === undefined) this.#forgetTransfers();
    this.#identity = identity;
    const { maxFrameBytes, heartbeatMs } = this.#host.limits;
    this.#maxFrame = Math.min(maxFrameBytes, hello.maxFrame ?? maxFrameBytes);
    this.#channel.send(
      hello.protocol === 1
        ? encodeFrame({ type: "hello-ok" })
        : encodeFrame({
            type: "hello-ok",
            protocol: Math.min(hello.protocol, this.#host.protocol),
            bridge: this.#host.bridge,
            maxFrame: maxFrameBytes,
            heartbeatMs,
            ...(jobs !== undefined && this.supports(Feature.jobs) ? { jobs } : {}),
          }),
    );
  }

  #read(text: string, joined: boolean): void {
    const decoded = decodeAgentFrame(text);
    if (decoded.ok) {
      this.#malformedInRow = 0;
      this.#dispatch(decoded.frame, joined);
    } else if (decoded.problem === "unknown-type") {
      this.#host.debug(this.origin, `ignored: ${decoded.reason}`);
    } else if (this.#identity === undefined && decoded.type === "hello") {
      this.refuse(CloseCode.badHello, "bad-hello", `This hello is not valid: ${decoded.reason}`);
    } else {
      const { id, reason } = decoded;
      // Whoever waits for it is told now: a better answer will not come.
      if (id !== undefined && this.#identity !== undefined) {
        const error = `the answer cannot be read: ${reason}`;
        this.#answer({ type: "response", id, ok: false, error });
      }
      this.#malformed(reason);
    }
  }

  #dispatch(frame: AgentFrame, joined: boolean): void {
    if (frame.type === "hello") return this.#host.hello(this, frame);
    if (this.#identity === undefined) return this.#malformed(`a ${frame.type} before the hello`);
    switch (frame.type) {
      case "response":
        return this.#answer(frame);
      case "output":
        if (this.#pending?.output(frame.id, frame.seq, frame.text, frame.encoding) !== true) {
          this.#host.printed(this, frame);
        }
        return;
      case "chunk":
        if (joined) return this.#malformed("a chunk inside of chunks");
        return this.#join(frame);
      case "event":
        return this.#host.event(this, frame);
      case "tools":
        // Taken by the registered tools once those exist.
        return this.#host.debug(this.origin, `ignored: ${frame.type}`);
    }
  }

  #answer(response: Response): void {
    if (response.id === this.#heartbeatId) return;
    const asked = this.#pending?.answer(response);
    if (asked === undefined && !this.#host.answered(this, response)) {
      this.#host.debug(this.origin, "ignored: an answer that nobody waits for");
    }
    // An agent keeps the answer to any work until it knows that it arrived; a quick question is no work.
    const isWork = asked === undefined || asked.cancelGraceMs !== undefined;
    if (isWork && this.supports(Feature.jobs)) {
      this.send(encodeFrame({ type: "ack", id: response.id }));
    }
  }

  #join(chunk: Extract<AgentFrame, { type: "chunk" }>): void {
    this.#joiner ??= new ChunkJoiner({
      // Before the hello nothing long can come.
      maxBytes: this.#identity === undefined ? 65_536 : this.#host.limits.maxFromAgentBytes,
      budget: this.#host.transferBudget,
    });
    const result = this.#joiner.push(chunk);
    if (!result.ok) this.#malformed(result.reason);
    else if (result.text !== undefined) this.#read(result.text, true);
  }

  #forgetTransfers(): void {
    this.#joiner?.clear();
    this.#joiner = undefined;
  }

  #seen(): void {
    this.#lastSeen = performance.now();
    if (this.#unresponsive) {
      this.#unresponsive = false;
      this.#host.recovered(this);
    }
  }

  #malformed(reason: string): void {
    this.#problem(reason);
    this.#malformedInRow += 1;
    if (this.#malformedInRow >= this.#host.limits.maxMalformed) {
      this.#shut(CloseCode.policy, "too many malformed frames");
    }
  }

  #problem(reason: string): void {
    if (this.#problemReported) return;
    this.#problemReported = true;
    this.#host.problem(this.origin, reason);
  }

  #shut(closeCode: CloseCode, reason: string): void {
    this.shut(closeCode, reason, LinkErrorCode.disconnected);
  }

  #onHelloTimeout(): void {
    const reason = `no hello within ${this.#host.limits.helloTimeoutMs} ms`;
    this.#host.refused(this.origin, reason);
    this.#shut(CloseCode.helloTimeout, reason);
  }

  #sendCancel(id: string, reason: string): boolean {
    if (!this.#open || !this.supports(Feature.cancel)) return false;
    this.#channel.send(encodeFrame({ type: "cancel", id, reason }));
    return true;
  }

  #end(reason: string, code: LinkErrorCode, why: string): void {
    this.#open = false;
    clearTimeout(this.#helloTimer);
    this.#joiner?.clear();
    this.#host.ended(this, reason);
    this.#pending?.failAll((label) => new LinkError(code, `${label} failed: ${why}`));
  }
}
