import {
  computerName,
  type Link,
  LinkError,
  LinkErrorCode,
  printable,
  type Registry,
} from "@ccbridge/registry";
import { z } from "zod";
import { defineTool } from "../define-tool.js";
import { cutEnd } from "../format/text.js";

const lookingOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

const computerId = z.int().nonnegative().describe("The computer's id in its world.");
const label = z.string().nullable().describe("The name the player gave it, or null.");

const ProbeSchema = z.object({
  computerId,
  label,
  status: z.enum(["pong", "timeout", "error"]),
  reason: z.string().optional().describe("Why the computer did not answer properly."),
});

/** A probed computer: its line of text, and the same as facts. */
interface Probe {
  line: string;
  facts: z.infer<typeof ProbeSchema>;
}

export const probeComputers = defineTool({
  name: "probe-computers",
  title: "Probe computers",
  description:
    "Asks every linked ComputerCraft computer in Minecraft for a sign of life, all at once, and says " +
    "which of them answer right now. One line per computer: `pong from 12 (Label: base-turtle)`, " +
    "`timeout from ...` when it did not answer in time (its server may lag, or its chunk is not " +
    "loaded), `error from ...` otherwise. Use list-computers to learn more about them.",
  input: z.object({}),
  output: z.object({ computers: z.array(ProbeSchema) }),
  annotations: lookingOnly,
  async handler(_, { registry, settings }) {
    const links = registry.computers();
    if (links.length === 0) {
      return { text: "No computers connected.", structured: { computers: [] } };
    }
    const probes = await Promise.all(links.map((link) => probe(link, settings.probeTimeoutMs)));
    return {
      text: probes.map(({ line }) => line).join("\n"),
      structured: { computers: probes.map(({ facts }) => facts) },
    };
  },
});

// Spelled out, without spreads and inner functions: this runs a thousand times in one call.
async function probe(link: Link, timeoutMs: number): Promise<Probe> {
  const { identity } = link;
  const { computerId, label } = identity;
  try {
    const response = await link.request("ping", undefined, { timeoutMs });
    if (!response.ok) return failedProbe(link, response.error);
    const line = ownPong(response.result, computerId) ?? `pong from ${computerName(identity)}`;
    return { line, facts: { computerId, label, status: "pong" } };
  } catch (error) {
    if (error instanceof LinkError && error.code === LinkErrorCode.timedOut) {
      const line = `timeout from ${computerName(identity)}`;
      return { line, facts: { computerId, label, status: "timeout" } };
    }
    return failedProbe(link, error instanceof Error ? error.message : String(error));
  }
}

function failedProbe({ identity }: Link, why: string): Probe {
  const { computerId, label } = identity;
  const reason = cutEnd(printable(why), 200);
  return {
    line: `error from ${computerName(identity)}: ${reason}`,
    facts: { computerId, label, status: "error", reason },
  };
}

/** The computer's own pong, if it has the expected form; its label may be newer than its hello's. */
function ownPong(result: unknown, id: number): string | undefined {
  if (typeof result !== "string" || result.length > 300) return undefined;
  const line = printable(result);
  return line.startsWith(`pong from ${id} (Label: `) && line.endsWith(")") ? line : undefined;
}

const ComputerSchema = z.object({
  computerId,
  label,
  world: z.string().nullable().describe("The world's name, if the player set one."),
  instance: z.string().nullable().describe("Tells computers of the same id in two worlds apart."),
  kind: z.enum(["computer", "turtle", "pocket", "command"]),
  advanced: z.boolean().nullable(),
  agent: z.object({ name: z.string(), version: z.string() }).nullable(),
  host: z.string().nullable().describe("The version of ComputerCraft and Minecraft."),
  protocol: z.int(),
  methods: z.array(z.string()).describe("What it can be asked to do; empty for old agents."),
  features: z.array(z.string()),
  linkedSince: z.string(),
  lastSeen: z.string(),
  state: z.enum(["live", "unresponsive"]),
  runningRequests: z.int(),
});

export const listComputers = defineTool({
  name: "list-computers",
  title: "List computers",
  description:
    "Lists the ComputerCraft computers and turtles that are linked to the bridge now, with what each " +
    "is and can do. A turtle is a robot that moves, digs and builds; a pocket computer is carried by a " +
    "player; a command computer may run Minecraft commands. Call this first to find the computerId for " +
    "the other tools. `unresponsive` means linked but silent for a while, as with a lagging server.",
  input: z.object({
    offset: z.int().nonnegative().default(0).describe("Skip this many computers."),
    limit: z.int().min(1).max(100).default(25).describe("List at most this many."),
  }),
  output: z.object({
    total: z.int().describe("How many computers are linked."),
    offset: z.int(),
    computers: z.array(ComputerSchema),
  }),
  annotations: lookingOnly,
  async handler({ offset, limit }, { registry, settings }) {
    const links = registry.computers();
    const computers = links
      .slice(offset, offset + limit)
      .map((link) => describeComputer(link, registry));
    return {
      text: listText(computers, links.length, offset, settings.linkCommand),
      structured: { total: links.length, offset, computers },
    };
  },
});

type Computer = z.infer<typeof ComputerSchema>;

export function describeComputer(link: Link, registry: Registry): Computer {
  const { provider: _, key: __, methods, features, ...identity } = link.identity;
  return {
    ...identity,
    methods: methods.slice(0, 64),
    features: features.slice(0, 16),
    linkedSince: new Date(link.linkedAt).toISOString(),
    lastSeen: new Date(link.lastSeenAt).toISOString(),
    state: link.state,
    runningRequests: link.runningRequests + registry.jobs.running(link.identity.key),
  };
}

function listText(
  computers: Computer[],
  total: number,
  offset: number,
  linkCommand: string,
): string {
  if (total === 0) {
    return `No computers connected. To link one, the player types on it in the game: ${linkCommand}`;
  }
  const lines = computers.map(line);
  const rest = total - offset - computers.length;
  if (rest > 0) {
    lines.push(`${rest} more: call list-computers with offset ${offset + computers.length}.`);
  } else if (computers.length === 0) {
    lines.push(`There are only ${total}: call list-computers with a smaller offset.`);
  }
  return lines.join("\n");
}

function line(computer: Computer): string {
  const { kind, advanced, world, instance, agent, host, protocol, state } = computer;
  const parts = [
    `${advanced === true ? "advanced " : ""}${kind === "command" ? "command computer" : kind}`,
    state,
    world === null ? undefined : `world "${world}"`,
    instance === null ? undefined : `instance ${instance}`,
    agent === null ? "an old agent" : `agent ${agent.name} ${agent.version}`,
    `protocol ${protocol}`,
    host === null ? undefined : host,
    computer.methods.length === 0 ? undefined : `can ${computer.methods.join(", ")}`,
    computer.features.length === 0 ? undefined : `with ${computer.features.join(", ")}`,
    `linked since ${computer.linkedSince}`,
    `last seen ${computer.lastSeen}`,
    `${computer.runningRequests} running requests`,
  ];
  const known = parts.filter((part) => part !== undefined);
  return `${computerName(computer)}: ${known.join("; ")}`;
}
