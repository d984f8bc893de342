import type { Socket } from "node:net";
import {
  type KeptResult,
  LinkError,
  LinkErrorCode,
  type Outgoing,
  type Provider,
  ProviderSession,
  type Registry,
} from "@ccbridge/registry";

// The protocol, one message to a line. A lamp says `lamp NAME` and hears `welcome`. The bridge sends `ID on`, `ID off`
// or `ping`; the lamp answers `ID ok`, `ID failed WHY` or `pong`.

export const MAX_LINE_BYTES = 256;
const MAX_WAITING_BYTES = 4_096;

export interface Lamp extends Provider {
  readonly kind: "lamp";
  readonly lampName: string;
}

interface LampRequest extends Outgoing {
  readonly line: string;
}

export class LampLink extends ProviderSession {
  readonly #registry: Registry;
  readonly #socket: Socket;
  #lamp: Lamp | undefined;

  constructor(registry: Registry, socket: Socket) {
    super(registry.host, { address: socket.remoteAddress ?? "unknown" });
    this.#registry = registry;
    this.#socket = socket;
  }

  get identified(): boolean {
    return this.#lamp !== undefined;
  }

  get provider(): Lamp {
    if (this.#lamp === undefined) throw new Error("this lamp has not introduced itself");
    return this.#lamp;
  }

  receive(line: string): void {
    if (this.#lamp === undefined) return this.#join(line);
    this.seen();
    const [id = "", outcome, ...why] = line.split(" ");
    if (outcome === "ok") this.settle(id, { ok: true });
    else if (outcome === "failed") this.settle(id, { ok: false, error: why.join(" ") });
  }

  #join(line: string): void {
    const name = /^lamp ([\w-]{1,32})$/.exec(line)?.[1];
    const key = `lamp:${name}`;
    if (name === undefined || !this.#registry.hasRoom(key)) {
      this.#socket.end("refused\n");
      return;
    }
    const facts = { kind: "lamp", key, name: `lamp ${name}`, lampName: name } as const;
    this.#lamp = { ...facts, methods: ["switch"], features: [] };
    this.#registry.join(this, { welcome: () => this.#write("welcome") });
  }

  prepare(id: string, method: string, params: unknown): LampRequest {
    const { on } = params as { on: boolean };
    const line = `${id} ${on ? "on" : "off"}`;
    return { id, method, line, bytes: line.length };
  }

  protected transmit(request: Outgoing): void {
    this.#write((request as LampRequest).line);
    this.sent();
  }

  protected sendProblem(): LinkError | undefined {
    if (this.#socket.writableLength < MAX_WAITING_BYTES) return undefined;
    return new LinkError(LinkErrorCode.notReading, `${this.name} does not read`);
  }

  ping(): void {
    this.#write("ping");
    this.sent();
  }

  protected hangUp(): void {
    this.#socket.end();
  }

  // Switching is over at once: there is nothing to cancel, to confirm or to keep.
  cancel(): boolean {
    return false;
  }

  acknowledge(): void {}

  keep(): KeptResult {
    return { output: "", isPartial: false, result: { returns: [] }, bytes: 0 };
  }

  #write(line: string): void {
    this.#socket.write(`${line}\n`);
  }
}
