import { expect, vi } from "vitest";
import { connectAgent, type TestRegistry } from "../harness.js";

type Connection = ReturnType<typeof connectAgent>;

interface Work {
  id: string;
  pieces: string[];
  sent: number;
  answer: { ok: boolean } | undefined;
  answerSent: boolean;
  stopped: boolean;
  stubborn: boolean;
  rebooted: boolean;
}

const hello = {
  protocol: 2,
  instance: "i1",
  features: ["cancel", "output", "chunk", "jobs", "acks"],
  methods: ["exec-lua", "check-requests"],
};
export const MAX_JOBS = 3;

export class KeepingAgent {
  readonly work = new Map<string, Work>();
  readonly ran = new Map<string, Work>();
  readonly finished = new Set<string>();
  connection: Connection | undefined;
  broken = false;
  /** Messages that the game drops next because its queue is full. */
  dropping = 0;
  stubborn = false;
  boots = 0;

  constructor(public registry: TestRegistry) {}

  connect(): void {
    this.broken = false;
    this.dropping = 0;
    const connection = connectAgent(this.registry);
    this.connection = connection;
    connection.hello(1, { ...hello, run: `run-${this.boots}`, jobs: [...this.work.keys()] });
    this.takeFrames();
    this.flush();
  }

  drop(): void {
    this.connection?.end.drop();
    this.connection = undefined;
  }

  reboot(): void {
    this.drop();
    this.boots += 1;
    for (const work of this.work.values()) work.rebooted = true;
    this.work.clear();
    this.finished.clear();
  }

  print(work: Work, text: string): void {
    if (work.answer !== undefined) return;
    work.pieces.push(text);
    this.flush();
  }

  answer(work: Work, ok: boolean): void {
    if (work.answer !== undefined) return;
    work.answer = { ok };
    this.flush();
  }

  flush(): void {
    if (this.connection === undefined) return;
    for (const work of this.work.values()) {
      while (work.sent < work.pieces.length) {
        const text = work.pieces[work.sent] ?? "";
        this.say({ type: "output", id: work.id, seq: work.sent, text });
        work.sent += 1;
      }
      if (work.answer !== undefined && !work.answerSent) {
        work.answerSent = true;
        const { ok } = work.answer;
        const output = work.pieces.join("");
        const error = work.stopped ? "cancelled" : "boom";
        const result = { returns: [work.id], output };
        this.say({ type: "response", id: work.id, ok, ...(ok ? {} : { error }), result });
      }
    }
    this.takeFrames();
  }

  say(frame: object): void {
    if (!this.broken) this.connection?.end.send(JSON.stringify(frame));
  }

  takeFrames(): void {
    for (;;) {
      const frames = this.connection?.received.splice(0) ?? [];
      if (frames.length === 0) return;
      for (const frame of frames) {
        if (this.broken) continue;
        if (this.dropping > 0 && frame.type !== "hello-ok") this.dropping -= 1;
        else this.take(frame);
      }
    }
  }

  take(frame: Record<string, unknown>): void {
    const id = String(frame.id);
    const work = this.work.get(id);
    if (frame.type === "request" && frame.method === "exec-lua") {
      // What arrived once is never sent again.
      expect(this.ran.has(id)).toBe(false);
      const begun: Work = {
        id,
        pieces: [],
        sent: 0,
        answer: undefined,
        answerSent: false,
        stopped: false,
        stubborn: this.stubborn,
        rebooted: false,
      };
      this.work.set(id, begun);
      this.ran.set(id, begun);
      const running = [...this.work.values()].filter(({ answer }) => answer === undefined);
      expect(running.length).toBeLessThanOrEqual(MAX_JOBS);
    } else if (frame.method === "check-requests") {
      const { ids } = frame.params as { ids: string[] };
      const unknown = ids.filter((each) => !this.work.has(each) && !this.finished.has(each));
      this.say({ type: "response", id, ok: true, result: { unknown } });
    } else if (frame.type === "cancel") {
      if (work === undefined) {
        if (!this.finished.has(id)) {
          this.say({ type: "response", id, ok: false, error: "unknown request" });
        }
      } else if (work.answer !== undefined) work.answerSent = false;
      else if (!work.stubborn) {
        work.stopped = true;
        work.answer = { ok: false };
      }
    } else if (frame.type === "ack") {
      for (const acked of (frame.ids as string[] | undefined) ?? [id]) {
        if (this.work.delete(acked)) this.finished.add(acked);
      }
    } else if (frame.type === "hello-ok") {
      for (const { id: job, seq } of frame.jobs as { id: string; seq: number }[]) {
        const kept = this.work.get(job);
        if (kept !== undefined) Object.assign(kept, { sent: seq, answerSent: false });
      }
    }
  }
}

export async function quiet(agent: KeepingAgent): Promise<void> {
  for (let i = 0; i < 6; i++) {
    await vi.advanceTimersByTimeAsync(3_000);
    agent.takeFrames();
    agent.flush();
  }
}
