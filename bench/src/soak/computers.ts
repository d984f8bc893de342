// Computers that drop their links at random, keep their jobs and reconnect: `soak-computers.js
// <url> <count> <dropsPerMinute>`. They count executions, to detect duplicates.
import { WebSocket } from "ws";
import { report } from "../harness/ipc.js";

const RUN_MS = 30;
const REDIAL_MS = 400;

const [url, count, dropsPerMinute] = process.argv.slice(2) as [string, string, string];
const runs = new Map<string, number>();
let drops = 0;

class Computer {
  readonly #id: number;
  #socket: WebSocket | undefined;
  #linked = false;
  readonly #kept = new Map<string, object | undefined>();

  constructor(id: number) {
    this.#id = id;
    this.#dial();
  }

  drop(): void {
    if (!this.#linked) return;
    drops += 1;
    this.#socket?.terminate();
  }

  #dial(): void {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    this.#socket = socket;
    socket.on("open", () => this.#send(this.#hello()));
    socket.on("message", (data) => this.#receive(JSON.parse(data.toString())));
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#linked = false;
      setTimeout(() => this.#dial(), Math.random() * REDIAL_MS);
    });
  }

  #hello() {
    return {
      type: "hello",
      protocol: 2,
      computerId: this.#id,
      computerLabel: `soak-${this.#id}`,
      agent: { name: "soak", version: "1.0.0" },
      kind: "computer",
      instance: `soak${String(this.#id).padStart(8, "0")}`,
      methods: ["ping", "exec-lua"],
      features: ["cancel", "output", "chunk", "jobs"],
      maxFrame: 130_048,
      jobs: [...this.#kept.keys()],
    };
  }

  #receive(frame: { type: string; id: string; method?: string; params?: { code: string } }): void {
    switch (frame.type) {
      case "hello-ok":
        this.#linked = true;
        for (const answer of this.#kept.values()) if (answer !== undefined) this.#send(answer);
        break;
      case "ack":
        this.#kept.delete(frame.id);
        break;
      case "request":
        if (frame.method === "ping") {
          this.#send({ type: "response", id: frame.id, ok: true, result: "pong" });
        } else this.#run(frame.id, frame.params?.code ?? "");
    }
  }

  #run(id: string, code: string): void {
    const nonce = code.slice("return ".length);
    runs.set(nonce, (runs.get(nonce) ?? 0) + 1);
    this.#kept.set(id, undefined);
    setTimeout(() => {
      const returns = [{ type: "string", value: `${this.#id}:${nonce}` }];
      const answer = { type: "response", id, ok: true, result: { returns, output: "" } };
      this.#kept.set(id, answer);
      if (this.#linked) this.#send(answer);
    }, Math.random() * RUN_MS);
  }

  #send(frame: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }
}

const computers = Array.from({ length: Number(count) }, (_, id) => new Computer(id));
setInterval(
  () => computers[Math.floor(Math.random() * computers.length)]?.drop(),
  60_000 / Number(dropsPerMinute),
);
process.on("message", ({ doubtful }: { doubtful: string[] }) => {
  let doubled = 0;
  for (const times of runs.values()) if (times > 1) doubled += 1;
  const lost = doubtful.filter((nonce) => runs.has(nonce)).length;
  report({ ran: runs.size, doubled, drops, lost });
});
report({ computers: computers.length });
