import {
  type AgentFrame,
  type ChunkJoiner,
  decodeAgentFrame,
  decodeText,
  encodeFrame,
  Feature,
  isHeartbeat,
  LinkCloseCode,
  type OutgoingFrame,
  type Response,
  splitFrame,
  utf8Length,
} from "@ccbridge/protocol";
import type { Job } from "../../jobs/job.js";
import type { KeptResult } from "../../jobs/job-session.js";
import type { Outgoing } from "../../provider.js";
import type { Broadcast } from "../../requests.js";
import type { Channel, Origin } from "../../session.js";
import { TextSession } from "../../text-session.js";
import type { ApprovalWait } from "./approval.js";
import type { Computers } from "./computers.js";
import { greet } from "./handshake.js";
import { keepResult } from "./kept-result.js";
import { Acks, Outbox } from "./outbox.js";
import { type ComputerProvider, saidPlace } from "./provider.js";

const CHECK_TIMEOUT_MS = 10_000;

type OutgoingRequest = Extract<OutgoingFrame, { type: "request" }>;

const cancelAnswers = new Map([
  ["cancelled", "stopped"],
  ["unknown request", "unknown"],
] as const) as ReadonlyMap<string, "stopped" | "unknown">;

const HEARTBEAT = "heartbeat-";

/** Methods that run programs: what these do to files is kept there. */
const KEEPING: ReadonlySet<string> = new Set(["exec-lua", "run-program", "call-tool"]);

interface ComputerRequest extends Outgoing {
  readonly frame: OutgoingRequest;
  readonly text: string;
}

export class ComputerLink extends TextSession<ComputerRequest> {
  readonly #computers: Computers;
  #provider: ComputerProvider | undefined;
  #maxFrame: number;
  #joiner: ChunkJoiner | undefined;
  #outbox: Outbox | undefined;
  #stopWaiting: (() => void) | undefined;
  #waiting: ApprovalWait | undefined;
  #acks: Acks | undefined;
  protected override get closeCodes() {
    return {
      replaced: LinkCloseCode.replaced,
      silent: LinkCloseCode.silent,
      "not-reading": LinkCloseCode.notReading,
    };
  }

  constructor(computers: Computers, channel: Channel, origin: Origin) {
    super(computers.registry, channel, origin);
    this.#computers = computers;
    this.#maxFrame = this.host.limits.maxFrameBytes;
    this.awaitHello();
  }

  get provider(): ComputerProvider {
    if (this.#provider === undefined) throw new Error("this link has not said hello");
    return this.#provider;
  }

  get identified(): boolean {
    return this.#provider !== undefined;
  }

  identify(provider: ComputerProvider, maxFrame: number | undefined): void {
    this.#waitFor(undefined);
    this.#provider = provider;
    const { maxFrameBytes } = this.host.limits;
    this.#maxFrame = Math.min(maxFrameBytes, maxFrame ?? maxFrameBytes);
  }

  get waiting(): ApprovalWait | undefined {
    return this.#waiting;
  }

  awaitApproval(waiting: ApprovalWait): void {
    this.#waitFor(waiting.stop);
    this.#waiting = waiting;
    this.#computers.registry.hold(this);
  }

  awaitHello(): void {
    const timer = setTimeout(() => this.#onHelloTimeout(), this.host.limits.helloTimeoutMs);
    this.#waitFor(() => clearTimeout(timer));
  }

  prepare(
    id: string,
    method: string,
    params: unknown,
    trace?: string,
    written?: Broadcast["written"],
  ): ComputerRequest {
    if (this.#keepsFiles(method)) {
      return this.checked(this.#write(id, method, { ...(params as object), keep: true }, trace));
    }
    const form = this.supports(Feature.surrogates);
    const known = written?.get(form) as ComputerRequest | undefined;
    const request = known ?? this.#write(id, method, params, trace);
    if (known === undefined) written?.set(form, request);
    return this.checked(request);
  }

  #write(id: string, method: string, params: unknown, trace?: string): ComputerRequest {
    const frame: OutgoingRequest = { type: "request", id, method, params, trace };
    const text = this.#encode(frame);
    return { id, method, bytes: utf8Length(text), frame, text };
  }

  #keepsFiles(method: string): boolean {
    if (!this.host.limits.keepJobFiles || !KEEPING.has(method)) return false;
    return this.provider.methods.includes("kept-files");
  }

  cancel(id: string, reason: string): boolean {
    if (!this.supports(Feature.cancel)) return false;
    // It must not be sent again behind its own cancel.
    this.#outbox?.forget(id);
    this.write(encodeFrame({ type: "cancel", id, reason }));
    return true;
  }

  acknowledge(id: string): void {
    if (!this.supports(Feature.jobs)) return;
    const together = this.supports(Feature.acks);
    this.#acks ??= new Acks({ together, write: (text) => this.write(text) });
    this.#acks.add(id);
  }

  keep(result: unknown): KeptResult {
    return keepResult(result);
  }

  ping(): void {
    // No request is sent before the approval.
    if (this.#waiting !== undefined) return this.channel.ping?.();
    const id = HEARTBEAT + this.host.nextId();
    this.write(encodeFrame({ type: "request", id, method: "ping" }));
  }

  override write(text: string): void {
    super.write(text);
  }

  protected maxRequestBytes(bytes: number): number {
    const needsChunks = bytes > this.#maxFrame && this.supports(Feature.chunk);
    return needsChunks ? this.host.limits.maxToAgentBytes : this.#maxFrame;
  }

  protected override put(text: string, transfer = "bridge"): void {
    this.sent();
    // In UTF-8 a character takes at most three bytes, so nearly all frames fit without a count.
    if (text.length * 3 <= this.#maxFrame) return this.channel.send(text);
    for (const message of splitFrame(text, this.#maxFrame, transfer)) this.channel.send(message);
  }

  protected override flush(): void {
    this.#acks?.flush();
  }

  protected override transmit(request: ComputerRequest, stopAt?: number): void {
    const { id, method } = request;
    let { text } = request;
    // An agent that does not keep jobs never runs one without this bridge.
    if (stopAt !== undefined && this.supports(Feature.jobs)) {
      const timeoutMs = Math.max(1, Math.ceil(stopAt - Date.now()));
      text = this.#encode({ ...request.frame, timeoutMs });
    }
    if (!isHeartbeat(method) && this.provider.methods.includes("check-requests")) {
      this.#outbox ??= new Outbox(this.host.limits.maxBufferedBytes);
      this.#outbox.add(id, text);
    }
    this.put(text, id);
  }

  protected override onHeartbeat(now: number): void {
    const outbox = this.#outbox;
    if (outbox === undefined || outbox.checking) return;
    const ids = outbox.uncertain(now);
    if (ids.length > 0) this.#checkRequests(outbox, ids);
  }

  protected override onEnd(): void {
    this.#waitFor(undefined);
    this.#acks?.clear();
    this.dropTransfers();
    this.#computers.detach(this);
  }

  receive(text: string): void {
    if (!this.open) return;
    this.seen();
    this.#read(text, false);
  }

  /** The socket answered, which says nothing about the program: it counts only before the approval. */
  alive(): void {
    if (this.#waiting !== undefined) this.seen();
  }

  /** Forgets unfinished transfers: other links need the memory. */
  dropTransfers(): void {
    this.#joiner?.clear();
  }

  /** Sends a hello-error and closes: this connection will not become a link. */
  refuse(closeCode: LinkCloseCode, code: string, message: string): void {
    this.turnAway(closeCode, encodeFrame({ type: "hello-error", code, message }), message);
  }

  #encode(frame: OutgoingRequest): string {
    return encodeFrame(frame, { escapePairs: this.supports(Feature.surrogates) });
  }

  /** Asks which requests never arrived, and sends those again. */
  #checkRequests(outbox: Outbox, ids: string[]): void {
    outbox.checking = true;
    this.request("check-requests", { ids }, { timeoutMs: CHECK_TIMEOUT_MS })
      .then(
        (answer) => {
          for (const { id, text } of answer.ok ? outbox.settle(ids, answer.result) : []) {
            outbox.add(id, text);
            this.put(text, this.host.nextId());
          }
        },
        // The next heartbeat asks again.
        () => {},
      )
      .finally(() => {
        outbox.checking = false;
      });
  }

  #read(text: string, joined: boolean): void {
    const decoded = decodeAgentFrame(text);
    if (decoded.ok) {
      this.wellFormed();
      this.#dispatch(decoded.frame, text.length, joined);
    } else if (decoded.problem === "unknown-type") {
      this.report("debug", `ignored: ${decoded.reason}`);
    } else if (this.#provider === undefined && decoded.type === "hello") {
      this.refuse(
        LinkCloseCode.badHello,
        "bad-hello",
        `This hello is not valid: ${decoded.reason}`,
      );
    } else {
      const { id, reason } = decoded;
      // The caller gets the error now: a better answer will not come.
      if (id !== undefined && this.#provider !== undefined) {
        const error = `the answer cannot be read: ${reason}`;
        this.#answer({ type: "response", id, ok: false, error });
      }
      this.malformed(reason);
    }
  }

  #dispatch(frame: AgentFrame, size: number, joined: boolean): void {
    if (frame.type === "hello") return greet(this.#computers, this, frame);
    if (this.#waiting !== undefined) return;
    if (this.#provider === undefined) return this.malformed(`a ${frame.type} before the hello`);
    const { registry } = this.#computers;
    switch (frame.type) {
      case "response":
        return this.#answer(frame);
      case "output": {
        const { id, seq, text, encoding } = frame;
        this.#outbox?.forget(id);
        registry.jobs.print(this, id, seq, decodeText(text, encoding));
        return;
      }
      case "progress":
        this.#outbox?.forget(frame.id);
        registry.jobs.progress(this, frame.id, frame);
        return;
      case "chunk":
        if (joined) return this.malformed("a chunk inside chunks");
        return this.#join(frame);
      case "event":
        return registry.events.receive(this.provider, { ...frame, size });
      case "tools":
        return registry.offered.offer(this.provider, {
          tools: frame.tools,
          broken: frame.broken ?? [],
        });
      case "screen":
        return this.#computers.watches.receive(this.provider.key, frame);
    }
  }

  #answer(frame: Response): void {
    const { id } = frame;
    if (id.startsWith(HEARTBEAT)) return this.#notePause(frame);
    this.#outbox?.forget(id);
    const response = frame.ok ? frame : { ...frame, cancel: cancelAnswers.get(frame.error) };
    const method = this.settle(id, response);
    let job: Job | undefined;
    if (method !== undefined) this.#notePlace(method, response.result);
    else {
      const { jobs } = this.#computers.registry;
      // The answer to a cancel that found nothing; there is no answer to acknowledge.
      if (!response.ok && response.cancel === "unknown") return void jobs.unknown(this, id);
      if (!response.ok && response.reason === "timed-out") this.#notePassedDeadline(id);
      const isFirst = jobs.get(id)?.response === undefined;
      job = jobs.answer(this, id, response);
      if (job !== undefined) {
        this.#notePlace(job.method, job.response?.result.returns[0]?.value);
        if (isFirst) this.#noteChanges(job);
      } else this.report("debug", "ignored: an answer without a request");
    }
    // An agent keeps the answer to any work until it knows that it arrived.
    if (job !== undefined) this.#computers.registry.jobs.acknowledge(this, job);
    else if (method === undefined || !isHeartbeat(method)) this.acknowledge(id);
  }

  #noteChanges(job: Job): void {
    const { kept, moved } = job.response?.result ?? {};
    if (kept !== true && moved === undefined) return;
    this.#computers.registry.changes.emit({ topic: "changed", provider: this.provider, job });
  }

  #notePause(frame: Response): void {
    const pausedMs = frame.ok ? frame.pausedMs : undefined;
    this.pausedSince = pausedMs === undefined ? undefined : Math.round(Date.now() - pausedMs);
  }

  #notePassedDeadline(id: string): void {
    const job = this.#computers.registry.jobs.get(id);
    if (job?.owner.key === this.provider.key) job.apply({ type: "stop", reason: "timed-out" });
  }

  #notePlace(method: string, answer: unknown): void {
    const { onPlace } = this.#computers.options;
    if (this.provider.computerKind !== "turtle") return;
    const place = onPlace && saidPlace(method, answer);
    if (place) onPlace?.(this.provider.key, place);
  }

  #join(chunk: Extract<AgentFrame, { type: "chunk" }>): void {
    this.#joiner ??= this.#computers.createJoiner(this);
    const result = this.#joiner.push(chunk);
    if (!result.ok) this.malformed(result.reason);
    else if (result.text !== undefined) this.#read(result.text, true);
  }

  #waitFor(stop: (() => void) | undefined): void {
    this.#stopWaiting?.();
    this.#stopWaiting = stop;
    this.#waiting = undefined;
    this.#computers.registry.release(this);
  }

  #onHelloTimeout(): void {
    const reason = `no hello within ${this.host.limits.helloTimeoutMs} ms`;
    this.report("refused", reason);
    this.shut(LinkCloseCode.helloTimeout, reason);
  }
}
