import { builtInNames } from "@ccbridge/mcp-tools";
import type { ServerTraffic } from "@ccbridge/registry";
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

  /** With the series of the servers that the reader may see. */
  async text(servers: readonly ServerTraffic[]): Promise<string> {
    const texts = [await this.#registry.metrics()];
    if (servers.length > 0) texts.push(await serverMetrics(servers));
    return texts.join("\n");
  }

  close(): void {
    this.#registry.clear();
  }
}

/** Made for each reader, since not every one may see every server. */
function serverMetrics(servers: readonly ServerTraffic[]): Promise<string> {
  const registry = new Registry();
  const common = { labelNames: ["server", "event"], registers: [registry] };
  const gauge = (name: string, help: string) => new Gauge({ ...common, name, help });
  const events = new Counter({
    ...common,
    name: "ccbridge_server_events_total",
    help: "Events that came from a Minecraft server.",
  });
  const lost = new Counter({
    ...common,
    name: "ccbridge_server_events_lost_total",
    help: "Events of a Minecraft server that never came.",
  });
  const linked = gauge("ccbridge_server_linked", "Whether a Minecraft server is linked.");
  const queued = gauge("ccbridge_server_queued_events", "Events that still wait on the server.");
  const requests = gauge("ccbridge_server_open_requests", "Requests that wait for an answer.");
  for (const traffic of servers) {
    const server = traffic.server.serverName;
    for (const [event, count] of traffic.events) events.inc({ server, event }, count);
    lost.inc({ server }, traffic.lost);
    linked.set({ server }, Number(traffic.isLinked));
    queued.set({ server }, traffic.queued);
    requests.set({ server }, traffic.openRequests);
  }
  return registry.metrics();
}
