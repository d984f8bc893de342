import { hostname } from "node:os";
import type { Cluster } from "@ccbridge/cluster";
import {
  createLocalPort,
  joinedPort,
  type ProviderPort,
  type Registry,
  selectBy,
} from "@ccbridge/registry";
import { cleanPort } from "../auth/secrets/clean-port.js";
import { OldAgents } from "../auth/secrets/old-agents.js";
import type { Secrets } from "../auth/secrets/secrets.js";
import type { Config } from "../config/settings.js";
import type { Logger } from "../monitor/log.js";

export interface OpenClusterOptions {
  config: Config;
  version: string;
  registry: Registry;
  secrets: Secrets;
  log: Logger;
}

export interface OpenedCluster {
  /** The providers of all bridges, without this bridge's secrets in what they send. */
  readonly providers: ProviderPort;
  /** Undefined for a bridge that works alone. */
  readonly cluster: Cluster | undefined;
}

/** How long the start waits for NATS. Later the bridge joins by itself. */
const START_MS = 3_000;

/** The providers of this bridge, and with `CC_CLUSTER` those of the others. NATS is loaded only then. */
export async function openCluster(options: OpenClusterOptions): Promise<OpenedCluster> {
  const { config, version, registry, secrets, log } = options;
  const { returnWaitMs } = config;
  const clean = (port: ProviderPort) => cleanPort(port, secrets, new OldAgents(registry));
  if (config.cluster.length === 0) {
    return { providers: clean(createLocalPort(registry, { returnWaitMs })), cluster: undefined };
  }
  const { Cluster } = await import("@ccbridge/cluster");
  const local = createLocalPort(registry);
  const cluster = new Cluster({
    nats: natsOptions(config),
    name: config.clusterName || `${hostname()}:${config.linkPort}`,
    version,
    registry,
    // Secrets leave this bridge no more by NATS than by MCP.
    port: clean(local),
    prefix: config.clusterPrefix,
    replicas: config.clusterReplicas,
    onStatus({ state, trouble }) {
      if (state === "joined") log.info("joined the cluster");
      else if (trouble !== undefined)
        log.warn({ reason: trouble }, "the cluster is not reachable: this bridge works alone");
    },
  });
  await cluster.ready(START_MS);
  const joined = joinedPort([local, cluster.port], { select: selectBy(registry), returnWaitMs });
  return { providers: clean(joined), cluster };
}

function natsOptions(config: Config) {
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
