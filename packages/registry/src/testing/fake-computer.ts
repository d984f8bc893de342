import {
  type BridgeFrame,
  ChunkJoiner,
  decodeBridgeFrame,
  encodeFrame,
  Feature,
  type HelloError,
  type HelloOk,
  type LuaValue,
  MAX_TO_AGENT_BYTES,
  type OutgoingFrame,
  type Request,
  SAFE_FRAME_BYTES,
  splitFrame,
} from "@ccbridge/protocol";
import { simulations } from "./contract-programs.js";

export interface Run {
  readonly signal: AbortSignal;
  write(text: string): void;
}

export type Program = (run: Run) => LuaValue[] | Promise<LuaValue[]>;

export interface FakeComputerOptions {
  computerId: number;
  label?: string | null;
  /** 1 makes it an agent that knows hello, ping and exec-lua only. @default 2 */
  protocol?: 1 | 2;
  instance?: string;
  world?: string;
  token?: string;
  programs?: Record<string, Program>;
  send(text: string): void;
}

export class FakeComputer {
  readonly welcomed: Promise<HelloOk>;
  readonly received: BridgeFrame[] = [];
  readonly #options: FakeComputerOptions;
  readonly #joiner = new ChunkJoiner({ maxBytes: MAX_TO_AGENT_BYTES });
  readonly #running = new Map<string, AbortController>();
  #transfers = 0;
  #resolveWelcome!: (frame: HelloOk) => void;
  #rejectWelcome!: (error: Error) => void;

  constructor(options: FakeComputerOptions) {
    this.#options = options;
    this.welcomed = new Promise((resolve, reject) => {
      this.#resolveWelcome = resolve;
      this.#rejectWelcome = reject;
    });
    // A test that expects a refusal looks at it elsewhere.
    this.welcomed.catch(() => {});
  }

  sayHello(): void {
    const { computerId, label = null, protocol = 2, instance, world, token } = this.#options;
    const features = [Feature.cancel, Feature.output, Feature.chunk];
    this.send({
      type: "hello",
      computerId,
      computerLabel: label,
      ...(token === undefined ? {} : { token }),
      ...(protocol === 1
        ? {}
        : {
            protocol,
            agent: { name: "fake-computer", version: "0.0.0" },
            kind: "computer",
            instance: instance ?? `fake-${computerId}`,
            ...(world === undefined ? {} : { world }),
            methods: ["ping", "exec-lua"],
            features,
            maxFrame: SAFE_FRAME_BYTES,
          }),
    });
  }

  /** Sends any frame, in chunks where it must. */
  send(frame: OutgoingFrame): void {
    const transfer = `f${++this.#transfers}`;
    for (const message of splitFrame(encodeFrame(frame), SAFE_FRAME_BYTES, transfer)) {
      this.#options.send(message);
    }
  }

  receive(text: string): void {
    const decoded = decodeBridgeFrame(text);
    if (!decoded.ok) throw new Error(`the bridge sent ${decoded.reason}`);
    const { frame } = decoded;
    if (frame.type === "chunk") {
      const joined = this.#joiner.push(frame);
      if (!joined.ok) throw new Error(`the bridge sent ${joined.reason}`);
      if (joined.text !== undefined) this.receive(joined.text);
      return;
    }
    this.received.push(frame);
    if (this.received.length > 1_000) this.received.shift();
    switch (frame.type) {
      case "hello-ok":
        this.#resolveWelcome(frame);
        break;
      case "hello-error":
        this.#rejectWelcome(refusal(frame));
        break;
      case "request":
        void this.#serve(frame);
        break;
      case "cancel":
        this.#running.get(frame.id)?.abort();
        break;
    }
  }

  async #serve(request: Request): Promise<void> {
    const { id, method } = request;
    if (method === "ping") {
      const { computerId, label } = this.#options;
      const result = `pong from ${computerId} (Label: ${label ?? "null"})`;
      return this.send({ type: "response", id, ok: true, result });
    }
    const code = codeOf(request);
    if (code === undefined) {
      return this.send({ type: "response", id, ok: false, error: "unknown method" });
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    let output = "";
    let seq = 0;
    const run: Run = {
      signal: controller.signal,
      write: (text) => {
        output += text;
        if (this.#options.protocol === 1) return;
        this.send({ type: "output", id, seq: seq++, text });
      },
    };
    try {
      const program = this.#options.programs?.[code] ?? simulations.get(code);
      if (program === undefined) throw new Error("the fake computer does not know this program");
      const returns = await program(run);
      this.send({ type: "response", id, ok: true, result: { returns, output } });
    } catch (error) {
      const message = controller.signal.aborted ? "cancelled" : (error as Error).message;
      const result = { returns: [], output };
      this.send({ type: "response", id, ok: false, error: message, result });
    } finally {
      this.#running.delete(id);
    }
  }
}

function codeOf({ method, params }: Request): string | undefined {
  if (method === "call-tool") return `call-tool ${(params as { name: string }).name}`;
  return method === "exec-lua" ? (params as { code: string }).code : undefined;
}

function refusal(frame: HelloError): Error {
  return new Error(`${frame.code}: ${frame.message}`);
}
