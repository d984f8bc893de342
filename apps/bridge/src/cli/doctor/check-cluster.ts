import { printable } from "@ccbridge/registry";
import { settings } from "../../config/settings.js";
import type { ClusterHealth } from "../../http/health-client.js";
import { bridgeOn, type Examination, type Finding, fine, note, problem } from "./finding.js";

/** NATS on the same network answers in a few milliseconds; calls to other bridges wait for it twice. */
const SLOW_MS = 100;

/** Which bridges work together with the one that runs here, and what is wrong with them. */
export function checkCluster(examination: Examination): Finding[] {
  const { config } = examination;
  const health = bridgeOn(examination, "mcp");
  if (health === undefined) return [];
  const { cluster } = health;
  const { env } = settings.cluster;
  if (cluster === undefined) {
    return config.cluster.length === 0
      ? []
      : [
          problem(
            `The bridge that runs here is in no cluster, although ${env} is set`,
            "Restart it.",
          ),
        ];
  }
  if (cluster.state !== "joined") {
    return [
      problem(
        `This bridge works alone: ${printable(cluster.trouble ?? "it is still connecting to NATS")}`,
        `Is NATS running with JetStream, and is its address in ${env}? The bridge joins by itself.`,
      ),
    ];
  }
  return [
    fine(`${countText(cluster)} in the cluster`),
    ...cluster.bridges.flatMap(bridgeFindings),
    ...versionFindings(cluster),
  ];
}

function countText({ bridges }: ClusterHealth): string {
  return bridges.length === 1 ? "This bridge alone is" : `${bridges.length} bridges are`;
}

function bridgeFindings(bridge: ClusterHealth["bridges"][number]): Finding[] {
  const { providers, natsMs, draining, isThis, notes } = bridge;
  const facts = [
    ...(isThis ? ["this one"] : []),
    `has ${providers} linked`,
    ...(natsMs === undefined ? [] : [`NATS answers in ${natsMs} ms`]),
    ...(draining ? ["stops soon and takes no new links"] : []),
  ];
  const name = printable(bridge.name);
  const text = `Bridge ${name}: ${facts.join(", ")}`;
  return [
    natsMs !== undefined && natsMs > SLOW_MS
      ? problem(text, "That is slow: calls to other bridges wait for NATS.")
      : draining
        ? note(text)
        : fine(text),
    ...notes.map((each) => problem(`Bridge ${name}: ${printable(each)}`)),
  ];
}

function versionFindings({ bridges }: ClusterHealth): Finding[] {
  const versions = [...new Set(bridges.map(({ version }) => printable(version)))];
  return versions.length < 2
    ? []
    : [note(`The bridges have different versions: ${versions.join(", ")}`, "Update all of them.")];
}
