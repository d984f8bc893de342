import { computerName } from "@ccbridge/registry";
import { z } from "zod";
import { readOnly } from "../../tool/annotations.js";
import { defineTool } from "../../tool/define.js";
import { ComputerSchema, type DescribedComputer, describeComputer } from "./describe-computer.js";

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
  annotations: readOnly,
  async handler({ offset, limit }, { providers, settings }) {
    const all = await providers.list();
    const computers = all.slice(offset, offset + limit).map(describeComputer);
    return {
      text: listText(computers, all.length, offset, settings.linkCommand),
      structured: { total: all.length, offset, computers },
    };
  },
});

function listText(
  computers: DescribedComputer[],
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

function line(computer: DescribedComputer): string {
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
