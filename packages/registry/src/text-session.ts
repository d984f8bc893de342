import type { Changes, ConnectionChange } from "./changes.js";
import { LinkError, LinkErrorCode } from "./errors.js";
import type { Outgoing } from "./provider.js";
import { type Channel, type Origin, ProviderSession, type SessionHost } from "./session.js";

/** The codes of RFC 6455 that every dialect uses. */
const Close = { goingAway: 1001, binary: 1003, policy: 1008 } as const;

/** A control frame has 125 bytes, two of them for the code. */
const MAX_CLOSE_REASON = 120;

interface TextRequest extends Outgoing {
  readonly text: string;
}

export abstract class TextSession<
  Request extends TextRequest = TextRequest,
> extends ProviderSession {
  protected readonly channel: Channel;
  readonly #changes: Changes;
  #malformedInRow = 0;
  #reported: Set<string> | undefined;

  constructor(
    { host, changes }: { readonly host: SessionHost; readonly changes: Changes },
    channel: Channel,
    origin: Origin,
  ) {
    super(host, origin);
    this.channel = channel;
    this.#changes = changes;
  }

  abstract receive(text: string): void;
  /** The longest request that the peer takes, if a request has so many bytes. */
  protected abstract maxRequestBytes(bytes: number): number;
  protected get closeCodes(): Partial<Record<LinkErrorCode, number>> {
    return {};
  }
  /** Sends what must arrive before the connection is closed. */
  protected flush(): void {}

  receiveBinary(): void {
    if (!this.open) return;
    this.reportOnce("binary", "a binary message");
    this.shut(Close.binary, "this link takes JSON text only");
  }

  /** Writes a small message. A peer that does not read is disconnected. */
  protected write(text: string): void {
    if (!this.open) return;
    const { bufferedBytes } = this.channel;
    if (bufferedBytes > this.host.limits.maxBufferedBytes) {
      this.close(LinkErrorCode.notReading, `does not read: ${bufferedBytes} bytes wait`);
    } else this.put(text);
  }

  protected put(text: string, _id?: string): void {
    this.sent();
    this.channel.send(text);
  }

  protected transmit({ text, id }: Request, _stopAt?: number): void {
    this.put(text, id);
  }

  /** Throws a {@link LinkError} when a request could not be sent. */
  protected checked(request: Request): Request {
    const problem = this.sendProblem(request);
    if (problem !== undefined) throw problem;
    return request;
  }

  protected sendProblem({ bytes }: Outgoing): LinkError | undefined {
    const limit = this.maxRequestBytes(bytes);
    if (bytes > limit) {
      return new LinkError(
        LinkErrorCode.tooLarge,
        `The request is ${bytes} bytes long, but ${this.name} takes at most ${limit}`,
      );
    }
    const { bufferedBytes } = this.channel;
    if (bufferedBytes + bytes <= this.host.limits.maxBufferedBytes) return undefined;
    return new LinkError(
      LinkErrorCode.notReading,
      `${this.name} does not read what was sent to it: ${bufferedBytes} bytes are waiting`,
    );
  }

  protected wellFormed(): void {
    this.#malformedInRow = 0;
  }

  protected malformed(reason: string): void {
    this.reportOnce("malformed", reason);
    this.#malformedInRow += 1;
    if (this.#malformedInRow >= this.host.limits.maxMalformed) {
      this.shut(Close.policy, "too many malformed messages");
    }
  }

  /** Sends the last message of a connection that does not become a link. */
  protected turnAway(closeCode: number, text: string, reason: string): void {
    if (!this.open) return;
    this.channel.send(text);
    this.report("refused", reason);
    this.shut(closeCode, reason);
  }

  protected report(topic: ConnectionChange["topic"], reason: string): void {
    this.#changes.emit({ topic, origin: this.origin, reason });
  }

  /** Reports each kind of problem once for a connection. */
  protected reportOnce(kind: string, reason: string): void {
    this.#reported ??= new Set();
    if (this.#reported.has(kind)) return;
    this.#reported.add(kind);
    this.report("problem", reason);
  }

  protected shut(closeCode: number, reason: string): void {
    this.flush();
    this.channel.close(closeCode, reason.slice(0, MAX_CLOSE_REASON));
    this.end(reason, LinkErrorCode.disconnected);
  }

  protected hangUp(code: LinkErrorCode, reason: string): void {
    this.flush();
    this.channel.close(this.closeCodes[code] ?? Close.goingAway, reason);
  }
}
