import { builtInNames } from "@ccbridge/mcp-tools";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { FinishedCall } from "./counters.js";

/** Offered tools share a series: their names are unbounded, and not every reader may see them. */
const OFFERED = "offered";

export interface MetricsOptions {
  version: string;
  links(): ReadonlyMap<string, number>;
  sessions(): number;
  runningJobs(): number;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #calls: Counter<"tool" | "outcome">;
  readonly #times: Histogram<"tool">;

  constructor({ version, links, sessions, runningJobs }: MetricsOptions) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#calls = new Counter({
      name: "ccbridge_calls_total",
      help: "Calls of tools that are over.",
      labelNames: ["tool", "outcome"],
      registers,
    });
    this.#times = new Histogram({
      name: "ccbridge_call_duration_seconds",
      help: "How long calls of tools took.",
      labelNames: ["tool"],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 30, 120],
      registers,
    });
    new Gauge({
      name: "ccbridge_links",
      help: "Providers that are linked, by kind.",
      labelNames: ["kind"],
      registers,
      collect() {
        this.reset();
        for (const [kind, count] of links()) this.set({ kind }, count);
      },
    });
    new Gauge({
      name: "ccbridge_sessions",
      help: "MCP sessions that are open.",
      registers,
      collect() {
        this.set(sessions());
      },
    });
    new Gauge({
      name: "ccbridge_running_jobs",
      help: "Jobs that run in the game.",
      registers,
      collect() {
        this.set(runningJobs());
      },
    });
    const info = new Gauge({
      name: "ccbridge_info",
      help: "The version of this bridge.",
      labelNames: ["version"],
      registers,
    });
    info.set({ version }, 1);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  add(calls: readonly FinishedCall[]): void {
    for (const { tool: name, outcome, durationMs } of calls) {
      const tool = builtInNames.has(name) ? name : OFFERED;
      this.#calls.inc({ tool, outcome });
      this.#times.observe({ tool }, durationMs / 1_000);
    }
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  close(): void {
    this.#registry.clear();
  }
}
