import { LinkError, LinkErrorCode } from "./errors.js";
import type { JobSession, KeptResult } from "./jobs/job-session.js";
import type { RegistryLimits } from "./limits.js";
import type { Answer, Outgoing, Provider } from "./provider.js";
import { attempt, type Broadcast, PendingRequests, type RequestOptions } from "./requests.js";

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

export interface SessionEnd {
  readonly reason: string;
  readonly code: LinkErrorCode;
  /** Whether the connection was lost, rather than closed by this side for the reason. */
  readonly isDropped: boolean;
}

export interface SessionHost {
  readonly limits: Readonly<RegistryLimits>;
  nextId(): string;
  ended(session: ProviderSession, end: SessionEnd): void;
  /** The provider answers again, or does not. */
  stateChanged(session: ProviderSession): void;
}

/**
 * One connection of a provider: correlation, heartbeat, its end. A dialect extends it by how things are
 * written on its wire, and feeds it with what comes.
 */
export abstract class ProviderSession implements JobSession {
  readonly origin: Origin;
  /** When the connection was made, as milliseconds since 1970. */
  readonly linkedAt = Date.now();
  /** Since when no time passes in the provider's world, as it last reported; sleeping work there cannot go on. */
  pausedSince: number | undefined;
  protected readonly host: SessionHost;
  #pending: PendingRequests | undefined;
  #lastSeen = wholeMs();
  #lastSent = this.#lastSeen;
  #lastPing = this.#lastSeen;
  #state: "live" | "unresponsive" | "ended" = "live";

  constructor(host: SessionHost, origin: Origin) {
    this.host = host;
    this.origin = origin;
  }

  /** Who this is. Only linked sessions are ever handed out, so it is always known to a caller. */
  abstract readonly provider: Provider;
  abstract readonly identified: boolean;
  /** Writes a request without sending it. Throws a {@link LinkError} when it could not be sent. */
  abstract prepare(
    id: string,
    method: string,
    params: unknown,
    trace?: string,
    written?: Broadcast["written"],
  ): Outgoing;
  abstract cancel(id: string, reason: string): boolean;
  abstract acknowledge(id: string): void;
  abstract keep(result: unknown): KeptResult;
  abstract ping(): void;
  /** Why a request cannot be sent now. */
  protected abstract sendProblem(request: Outgoing): LinkError | undefined;
  protected abstract transmit(request: Outgoing, stopAt?: number): void;
  protected abstract hangUp(code: LinkErrorCode, reason: string): void;
  protected onHeartbeat(_now: number): void {}
  protected onEnd(): void {}

  get name(): string {
    return this.provider.name;
  }

  /** Whose it is, where others must not take its name. */
  get owner(): string | undefined {
    return undefined;
  }

  get open(): boolean {
    return this.#state !== "ended";
  }

  get state(): "live" | "unresponsive" {
    return this.#state === "unresponsive" ? "unresponsive" : "live";
  }

  /** When something last came, as milliseconds since 1970. */
  get lastSeenAt(): number {
    return Math.round(Date.now() - (performance.now() - this.#lastSeen));
  }

  get runningRequests(): number {
    return this.#pending?.size ?? 0;
  }

  supports(feature: string): boolean {
    return this.provider.features.includes(feature);
  }

  /**
   * Asks the provider. Resolves with its answer, even a failure; rejects with a {@link LinkError} when
   * there is none.
   */
  request(method: string, params: unknown, options: RequestOptions): Promise<Answer> {
    return attempt(() => {
      if (options.signal?.aborted) {
        throw new LinkError(LinkErrorCode.cancelled, `${method} on ${this.name} was cancelled`);
      }
      if (!this.open) throw goneError(this, method);
      this.#pending ??= new PendingRequests({
        name: () => this.name,
        cancel: (id, reason) => this.open && this.cancel(id, reason),
      });
      if (this.#pending.size >= this.host.limits.maxPending) {
        throw new LinkError(
          LinkErrorCode.tooManyRequests,
          `${this.name} already has ${this.#pending.size} requests waiting, which is the limit`,
        );
      }
      const { broadcast, trace } = options;
      // A provider that is asked twice in one broadcast must not get the same id twice.
      const isShared = broadcast !== undefined && !this.#pending.has(broadcast.id);
      const request = isShared
        ? this.prepare(broadcast.id, method, params, trace, broadcast.written)
        : this.prepare(this.host.nextId(), method, params, trace);
      // Waiting starts before sending: an in-memory channel may answer at once.
      const answer = this.#pending.add(request.id, method, options);
      this.transmit(request);
      return answer;
    });
  }

  /** Sends a request whose answer comes by itself; returns why it cannot be sent. One just prepared is checked. */
  send(request: Outgoing, stopAt?: number, isChecked = false): LinkError | undefined {
    if (!this.open) return goneError(this, request.method);
    const refusal = isChecked ? undefined : this.sendProblem(request);
    if (refusal === undefined) this.transmit(request, stopAt);
    return refusal;
  }

  protected settle(id: string, answer: Answer): string | undefined {
    return this.#pending?.answer(id, answer);
  }

  protected progress(id: string, message: string): void {
    this.#pending?.progress(id, message);
  }

  /** Something came: the provider is alive. */
  protected seen(): void {
    this.#lastSeen = wholeMs();
    if (this.#state === "unresponsive") {
      this.#state = "live";
      this.host.stateChanged(this);
    }
  }

  protected sent(): void {
    this.#lastSent = wholeMs();
  }

  /**
   * Called now and then: pings a provider that was quiet or was sent nothing for a while, marks a silent one,
   * drops a lost one.
   */
  checkHeartbeat(now: number): void {
    if (!this.open) return;
    const { heartbeatMs, unresponsiveAfterMs, dropAfterMs } = this.host.limits;
    const silentMs = now - this.#lastSeen;
    if (silentMs >= dropAfterMs) {
      this.close(LinkErrorCode.silent, `silent for ${Math.round(silentMs / 1_000)} s`);
      return;
    }
    if (silentMs >= unresponsiveAfterMs && this.#state === "live") {
      this.#state = "unresponsive";
      this.host.stateChanged(this);
    }
    this.onHeartbeat(now);
    const quietSince = Math.min(this.#lastSeen, this.#lastSent);
    if (now - Math.max(quietSince, this.#lastPing) >= heartbeatMs) {
      this.#lastPing = Math.round(now);
      this.ping();
    }
  }

  close(code: LinkErrorCode, reason: string): void {
    if (!this.open) return;
    this.hangUp(code, reason);
    this.end(reason, code);
  }

  /** Must be called when the connection is gone. */
  closed(reason: string): void {
    this.#end({ reason, code: LinkErrorCode.disconnected, isDropped: true }, "the link dropped");
  }

  protected end(reason: string, code: LinkErrorCode): void {
    this.#end({ reason, code, isDropped: false }, reason);
  }

  #end(end: SessionEnd, why: string): void {
    if (!this.open) return;
    this.#state = "ended";
    this.onEnd();
    this.host.ended(this, end);
    this.#pending?.failAll((label) => new LinkError(end.code, `${label} failed: ${why}`));
  }
}

/** Fractions would take an object each, for every idle link. */
function wholeMs(): number {
  return Math.round(performance.now());
}

function goneError({ name }: ProviderSession, method: string): LinkError {
  return new LinkError(
    LinkErrorCode.notLinked,
    `${method} on ${name} failed: it is no longer linked`,
  );
}
