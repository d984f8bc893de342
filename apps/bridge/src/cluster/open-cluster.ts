import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Cluster, NatsOptions } from "@ccbridge/cluster";
import {
  createLocalPort,
  joinedPort,
  type ProviderPort,
  type Registry,
  selectBy,
} from "@ccbridge/registry";
import type { FastifyInstance } from "fastify";
import type { Pairing } from "../auth/pairing/pairing.js";
import { cleanPort } from "../auth/secrets/clean-port.js";
import { OldAgents } from "../auth/secrets/old-agents.js";
import type { Secrets } from "../auth/secrets/secrets.js";
import type { TokenSource } from "../auth/token-source.js";
import type { Calls } from "../calls/open-calls.js";
import type { Config } from "../config/settings.js";
import type { Logger } from "../monitor/log.js";
import { SessionForwarding, sessionPrefix } from "./forward-sessions.js";
import {
  approvalOperations,
  pairingOperations,
  shareApprovals,
  shareWaiting,
} from "./share-approvals.js";
import { sharePairing, sharePermissions, shareRates, shareTokens } from "./share-kept.js";

export interface OpenClusterOptions extends Pick<Calls, "approvals" | "permissions" | "rates"> {
  config: Config;
  version: string;
  registry: Registry;
  secrets: Secrets;
  tokens: TokenSource;
  pairing: Pairing | undefined;
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
  const joined = joinedPort([local, cluster.port], { select: selectBy(registry), returnWaitMs });
  return { providers: clean(joined), cluster };
}

/** This bridge as a member: what it shares with the others, and what it takes over from them. */
class BridgeCluster {
  readonly #cluster: Cluster;
  readonly #registry: Registry;
  readonly #forwarding: SessionForwarding;
  readonly #stops: readonly (() => void)[];
  app: FastifyInstance | undefined;

  constructor(
    cluster: Cluster,
    registry: Registry,
    forwarding: SessionForwarding,
    stops: readonly (() => void)[],
  ) {
    this.#cluster = cluster;
    this.#registry = registry;
    this.#forwarding = forwarding;
    this.#stops = stops;
  }

  get port(): ProviderPort {
    return this.#cluster.port;
  }

  get sessionPrefix(): string {
    return sessionPrefix(this.#cluster.id);
  }

  forwardFrom(app: FastifyInstance): void {
    this.app = app;
    app.addHook("preHandler", this.#forwarding.hook);
  }

  health() {
    const { state, trouble } = this.#cluster.status;
    const members = this.#cluster.members();
    const shown = members.map(({ id, name, version, startedAt, draining, providers, notes }) => ({
      ...{ name, version, startedAt, draining, providers, notes },
      isThis: id === this.#cluster.id,
    }));
    return {
      state,
      ...(trouble === undefined ? {} : { trouble }),
      members: members.length,
      bridges: shown,
      unwritten: this.#cluster.unwritten,
      natsMs: this.#cluster.latencyMs,
    };
  }

  /** Takes no new links and lets what runs here end, for a while. */
  async drain(): Promise<void> {
    if (this.#cluster.members().length < 2) return;
    this.#registry.isDraining = true;
    await this.#cluster.drain();
    const deadline = performance.now() + DRAIN_MS;
    while (this.#isBusy() && performance.now() < deadline) await delay(50);
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

async function joinCluster(
  options: OpenClusterOptions,
  port: ProviderPort,
): Promise<BridgeCluster> {
  const { config, version, registry, log, tokens, pairing } = options;
  const { approvals, permissions, rates } = options;
  const { Cluster } = await import("@ccbridge/cluster");
  const { clients } = tokens;
  const made: { forwarding?: SessionForwarding; bridge?: BridgeCluster } = {};
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
    operations: (self) => {
      made.forwarding = new SessionForwarding(self);
      return {
        ...approvalOperations(approvals),
        ...pairingOperations(pairing),
        ...made.forwarding.operations(forwardingApp),
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
    shareTokens(cluster, tokens, config.mcpTokensFile),
    shareRates(cluster, rates, clients),
  ];
  sharePermissions(cluster, permissions, clients);
  if (pairing !== undefined) sharePairing(cluster, pairing, registry);
  const forwarding = made.forwarding ?? new SessionForwarding(cluster);
  const bridge = new BridgeCluster(cluster, registry, forwarding, stops);
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
