import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Cluster, NatsOptions } from "@ccbridge/cluster";
import type { TopicData } from "@ccbridge/protocol/dashboard";
import {
  createLocalPort,
  joinedPort,
  LinkErrorCode,
  type Pages,
  type ProviderPort,
  type Registry,
  selectBy,
} from "@ccbridge/registry";
import type { FastifyInstance } from "fastify";
import type { Alerts } from "../alerts/alerts.js";
import type { Pairing } from "../auth/pairing/pairing.js";
import { cleanPort } from "../auth/secrets/clean-port.js";
import { OldAgents } from "../auth/secrets/old-agents.js";
import type { Secrets } from "../auth/secrets/secrets.js";
import type { TokenSource } from "../auth/token-source.js";
import type { Calls } from "../calls/open-calls.js";
import type { Config } from "../config/settings.js";
import { CallsElsewhere } from "../history/memory-history.js";
import type { OpenedHistory } from "../history/open-history.js";
import type { QuestionsElsewhere } from "../mcp/sdk/sessionless-handler.js";
import { namedSessions } from "../mcp/sessions/named-sessions.js";
import type { Sessionless } from "../mcp/sessions/sessionless.js";
import type { Sessions } from "../mcp/sessions/sessions.js";
import type { Logger } from "../monitor/log.js";
import { SessionForwarding, sessionPrefix } from "./forward-sessions.js";
import { alertOperations, shareAlerts } from "./share-alerts.js";
import {
  approvalOperations,
  pairingOperations,
  shareApprovals,
  shareWaiting,
} from "./share-approvals.js";
import { shareCapabilities } from "./share-capabilities.js";
import { changeOperations, sharedChanges } from "./share-changes.js";
import { SharedClients } from "./share-clients.js";
import { shareHistory } from "./share-history.js";
import { sharePairing, sharePermissions, shareRates } from "./share-kept.js";
import { SharedQuestions } from "./share-questions.js";
import { resultOperations, shareResults } from "./share-results.js";
import { shareTokens } from "./share-tokens.js";

export interface OpenClusterOptions
  extends Pick<Calls, "approvals" | "audit" | "permissions" | "pipeline" | "rates" | "results"> {
  config: Config;
  version: string;
  registry: Registry;
  secrets: Secrets;
  tokens: TokenSource;
  pairing: Pairing | undefined;
  pages: Pages;
  alerts: Alerts;
  history: Pick<OpenedHistory, "store" | "clean" | "changes">;
  log: Logger;
}

export interface OpenedCluster {
  /** The providers of all bridges, without this bridge's secrets in what they send. */
  readonly providers: ProviderPort;
  /** Undefined for a bridge that works alone. */
  readonly cluster: BridgeCluster | undefined;
}

/** How long the start waits for NATS. Later the bridge joins by itself. */
const START_MS = 3_000;
/** How long a bridge that ends waits for what runs on it. */
const DRAIN_MS = 10_000;
/** How long after a question for its health a load balancer is thought to be there, and may need to ask again. */
const BALANCED_MS = 30_000;
const LEAVE_MS = 3_000;
/** How long it waits for providers to link elsewhere, for whom jobs wait. */
const HAND_OVER_MS = 5_000;

/** What the parts of a member need of each other. */
interface Shared {
  readonly forwarding: SessionForwarding;
  readonly questions: SharedQuestions;
  readonly calls: CallsElsewhere;
  readonly clients: SharedClients;
}

/** The providers of this bridge, and with `CC_CLUSTER` those of the others. NATS is loaded only then. */
export async function openCluster(options: OpenClusterOptions): Promise<OpenedCluster> {
  const { config, registry, secrets } = options;
  const { returnWaitMs } = config;
  const clean = (port: ProviderPort) => cleanPort(port, secrets, new OldAgents(registry));
  if (config.cluster.length === 0) {
    return { providers: clean(createLocalPort(registry, { returnWaitMs })), cluster: undefined };
  }
  const local = createLocalPort(registry);
  // Secrets leave this bridge no more by NATS than by MCP.
  const cluster = await joinCluster(options, clean(local));
  const ports = [cluster.marked(local), cluster.port] as const;
  const joined = joinedPort(ports, { select: selectBy(registry), returnWaitMs });
  return { providers: clean(joined), cluster };
}

/** This bridge as a member: what it shares with the others, and what it takes over from them. */
class BridgeCluster {
  readonly #cluster: Cluster;
  readonly #registry: Registry;
  readonly #shared: Shared;
  readonly #stops: (() => void)[];
  readonly #openHistory: () => () => void;
  /** The last calls of the other bridges, where they are not kept in a file. */
  readonly calls: CallsElsewhere;
  /** The clients of the other bridges. */
  readonly clients: SharedClients;
  app: FastifyInstance | undefined;
  #balancedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: {
    cluster: Cluster;
    registry: Registry;
    shared: Shared;
    stops: (() => void)[];
    openHistory(): () => void;
  }) {
    this.#cluster = parts.cluster;
    this.#registry = parts.registry;
    this.#shared = parts.shared;
    this.#stops = parts.stops;
    this.#openHistory = parts.openHistory;
    this.calls = parts.shared.calls;
    this.clients = parts.shared.clients;
  }

  /** From now on. What this bridge restores from its own file must be there already: it is no news. */
  shareHistory(): void {
    this.#stops.push(this.#openHistory());
  }

  get port(): ProviderPort {
    return this.#cluster.port;
  }

  /** What this bridge has itself. */
  marked(port: ProviderPort): ProviderPort {
    return this.#cluster.marked(port);
  }

  get sessionPrefix(): string {
    return sessionPrefix(this.#cluster.id);
  }

  forwardFrom(app: FastifyInstance): void {
    this.app = app;
    app.addHook("preHandler", this.#shared.forwarding.hook);
  }

  questions(client: string): QuestionsElsewhere {
    return this.#shared.questions.elsewhere(client);
  }

  shareClients(sessions: Sessions, sessionless: Sessionless): void {
    this.#shared.questions.sessionless = sessionless;
    this.clients.own = namedSessions(sessions, sessionless);
  }

  /** Why what happened on other bridges may be missing in the history. */
  unseen(): string | undefined {
    const { status, history } = this.#cluster;
    const { trouble } =
      status.state === "joined" ? history : { trouble: "it is connecting to NATS", ...status };
    if (trouble !== undefined) {
      return `What happened on other bridges is missing since this one lost its connection to them: ${trouble}.`;
    }
    const silent = this.#cluster.members().filter(({ unshared = 0 }) => unshared > 0);
    if (silent.length === 0) return undefined;
    return `Some of what happened is missing: ${silent.map(({ name, unshared }) => `${unshared} entries of ${name}`).join(", ")}.`;
  }

  health() {
    const { state, trouble } = this.#cluster.status;
    const members = this.#cluster.members();
    const bridges = members.map(({ id, unshared: _, ...shown }) => ({
      ...shown,
      isThis: id === this.#cluster.id,
    }));
    return {
      state,
      trouble,
      members: members.length,
      bridges,
      unwritten: this.#cluster.unwritten,
      natsMs: this.#cluster.latencyMs,
    };
  }

  /** Load balancers ask, and give no more calls to a bridge that stops. */
  healthAsked(isLocal: boolean): { isStopping: boolean } {
    if (!isLocal) this.#balancedAt = performance.now();
    return { isStopping: this.#registry.isDraining };
  }

  /** The same for the dashboard. */
  shown(): NonNullable<TopicData<"cluster">["cluster"]> {
    const { state, trouble = null, bridges } = this.health();
    const byName = [...bridges].sort((a, b) => a.name.localeCompare(b.name));
    return {
      ...{ state, trouble },
      bridges: byName.map(({ natsMs = null, notes, ...bridge }) => ({
        ...bridge,
        natsMs,
        notes: [...notes],
      })),
    };
  }

  /** Takes no new links and lets what runs here end, for a while. */
  async drain(): Promise<void> {
    if (this.#cluster.members().length < 2) return;
    this.#registry.isDraining = true;
    await this.#cluster.drain();
    const start = performance.now();
    if (start - this.#balancedAt < BALANCED_MS) await delay(LEAVE_MS);
    const deadline = start + DRAIN_MS;
    while (this.#isBusy() && performance.now() < deadline) await delay(50);
    await this.#handOver();
  }

  /** Jobs that have not begun go with their providers, which link elsewhere. */
  async #handOver(): Promise<void> {
    const { jobs } = this.#registry;
    const waiting = () => jobs.list().filter(({ state }) => state === "queued");
    for (const key of new Set(waiting().map(({ owner }) => owner.key))) {
      this.#registry
        .session(key)
        ?.close(LinkErrorCode.shuttingDown, "this bridge stops: link to another one");
    }
    const deadline = performance.now() + HAND_OVER_MS;
    while (waiting().length > 0 && performance.now() < deadline) await delay(50);
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#cluster.close();
  }

  #isBusy(): boolean {
    if (this.#cluster.running > 0) return true;
    for (const { provider, runningRequests } of this.#registry.sessions()) {
      if (runningRequests + this.#registry.jobs.running(provider.key) > 0) return true;
    }
    return false;
  }
}

/** What the logs of events were marked with, see the cluster's event marks. */
const MARKS = "event marks";

async function joinCluster(
  options: OpenClusterOptions,
  port: ProviderPort,
): Promise<BridgeCluster> {
  const { config, version, registry, log, tokens, pairing } = options;
  const { approvals, permissions, pipeline, rates, results } = options;
  const { Cluster } = await import("@ccbridge/cluster");
  const { clients } = tokens;
  const made: { shared?: Shared; bridge?: BridgeCluster } = {};
  const { store, clean, changes } = options.history;
  const forwardingApp = () => {
    if (made.bridge?.app === undefined) throw new Error("the bridge is starting");
    return made.bridge.app;
  };
  const cluster: Cluster = new Cluster({
    nats: natsOptions(config),
    name: config.clusterName || `${hostname()}:${config.linkPort}`,
    version,
    registry,
    port,
    prefix: config.clusterPrefix,
    replicas: config.clusterReplicas,
    marks: store && {
      earlier: store.state(MARKS) as readonly number[] | undefined,
      changed: (marks) => store.saveState(MARKS, marks, true),
    },
    operations: (self) => {
      const forwarding = new SessionForwarding(self);
      const questions = new SharedQuestions(self);
      const sharedClients = new SharedClients(self, { audit: options.audit, clean });
      const calls = new CallsElsewhere();
      made.shared = { forwarding, questions, calls, clients: sharedClients };
      return {
        ...approvalOperations(approvals),
        ...alertOperations(options.alerts),
        ...changeOperations(changes),
        ...resultOperations(results),
        ...pairingOperations(pairing),
        ...forwarding.operations(forwardingApp),
        ...questions.operations,
        ...sharedClients.operations,
      };
    },
    onStatus({ state, trouble }) {
      if (state === "joined") log.info("joined the cluster");
      else if (trouble !== undefined) {
        log.warn({ reason: trouble }, "the cluster is not reachable: this bridge works alone");
      }
    },
  });
  const stops = [
    shareApprovals(cluster, approvals),
    ...(pairing === undefined ? [] : [shareWaiting(cluster, pairing)]),
    shareAlerts(cluster, options.alerts),
    shareCapabilities(cluster, options.pages),
    shareTokens(cluster, tokens, config.mcpTokensFile),
    shareRates(cluster, rates, clients),
  ];
  sharePermissions(cluster, permissions, clients);
  shareResults(cluster, results);
  pipeline.changes = sharedChanges(cluster, changes);
  if (pairing !== undefined) sharePairing(cluster, pairing, registry);
  const { shared } = made;
  if (shared === undefined) throw new Error("the cluster took no operations");
  const parts = { audit: options.audit, registry, config, store, clean, calls: shared.calls };
  const bridge = new BridgeCluster({
    ...{ cluster, registry, shared, stops },
    openHistory: () => shareHistory(cluster, parts),
  });
  made.bridge = bridge;
  await cluster.ready(START_MS);
  return bridge;
}

function natsOptions(config: Config): NatsOptions {
  const file = (path: string) => (path === "" ? undefined : path);
  return {
    servers: config.cluster,
    credsFile: file(config.clusterCredsFile),
    nkeyFile: file(config.clusterNkeyFile),
    caFile: file(config.clusterCaFile),
    certFile: file(config.clusterCertFile),
    keyFile: file(config.clusterKeyFile),
  };
}
