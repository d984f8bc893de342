import {
  type BatchResult,
  BatchResultSchema,
  CommandResultSchema,
  toolArguments,
} from "@ccbridge/protocol/minecraft";
import { z } from "zod";
import { acts } from "../../core/annotations.js";
import { defineTool } from "../../core/define.js";
import { ToolError } from "../../core/errors.js";
import { block, excerpt, inline, plain, quoted } from "../../format/set-apart.js";
import { capital, OUTPUT_BYTES } from "../../format/text.js";
import { askServer, readResult, requireCommand, target } from "./server.js";

/** Some servers return nothing, some only the printed text. */
const ResultSchema = z.union([
  CommandResultSchema,
  z
    .string()
    .max(65_536)
    .nullish()
    .transform((message) => ({ message: message ?? "" })),
]);

export const executeCommand = defineTool({
  name: "execute_command",
  title: "Run a server command",
  effect: "commands run",
  description:
    "Runs a command on a Minecraft server, as its console would, and returns what the game says. " +
    "Only commands that match the owner's patterns run; prefer the other server tools.",
  input: z.object({
    ...target,
    command: toolArguments.execute_command.shape.command.describe("Such as `time set day`."),
  }),
  output: z.object({ server: z.string(), message: z.string() }),
  annotations: acts,
  async handler(args, context) {
    requireCommand(context, args.command);
    const answer = await askServer(context, "execute_command", args);
    const { message = "" } = readResult(ResultSchema, answer);
    const output = excerpt(message, OUTPUT_BYTES);
    const { name, provider } = answer.server;
    return {
      text:
        output.head === ""
          ? `Done on ${name}; the game printed nothing.`
          : `${capital(name)} says:\n${block(output)}`,
      structured: () => ({ server: provider.serverName, message: plain(output) }),
    };
  },
});

const { message, target: receiver } = toolArguments.send_message.shape;

export const sendMessage = defineTool({
  name: "send_message",
  title: "Send a chat message",
  effect: "messages sent",
  description:
    "Sends a chat message on a server, to all players or to one. Keep it short. " +
    "Answers arrive as player_chat events.",
  input: z.object({
    ...target,
    message: message.meta({ description: "The text; line breaks are allowed.", obvious: true }),
    target: receiver.describe("A player. Default: all."),
  }),
  output: z.object({ server: z.string() }),
  annotations: { ...acts, destructiveHint: false },
  async handler(args, context) {
    const { server } = await askServer(context, "send_message", args);
    const to =
      args.target === undefined || args.target === "@a" ? "everybody" : inline(args.target);
    return {
      text: `Sent to ${to} on ${server.name}.`,
      structured: () => ({ server: server.provider.serverName }),
    };
  },
});

const { player, x, y, z: zCoordinate, world } = toolArguments.teleport_player.shape;

export const teleportPlayer = defineTool({
  name: "teleport_player",
  title: "Teleport a player",
  effect: "players teleported",
  description: "Teleports a player on a server. Make sure that the place is safe. Off by default.",
  input: z.object({
    ...target,
    player: player.meta({ description: "The player's name.", obvious: true }),
    x: x.meta({ description: "East is positive.", obvious: true }),
    y: y.describe("Height; sea level is 63."),
    z: zCoordinate.meta({ description: "South is positive.", obvious: true }),
    world: world.describe("Such as minecraft:the_nether. Default: the player's."),
  }),
  output: z.object({ server: z.string() }),
  annotations: acts,
  async handler(args, context) {
    const { server } = await askServer(context, "teleport_player", args);
    const { player: who, world: where } = args;
    const place = [args.x, args.y, args.z].join(", ");
    const inside = where === undefined ? "" : ` in ${inline(where)}`;
    return {
      text: `Teleported ${inline(who)} to ${place}${inside} on ${server.name}.`,
      structured: () => ({ server: server.provider.serverName }),
    };
  },
});

const { player: recipient, item, quantity } = toolArguments.give_item.shape;

export const giveItem = defineTool({
  name: "give_item",
  title: "Give items to a player",
  effect: "items given",
  description:
    "Gives items to a player on a server; what does not fit falls to the ground. Off by default.",
  input: z.object({
    ...target,
    player: recipient.meta({ description: "The player's name.", obvious: true }),
    item: item.describe("Its id, such as minecraft:diamond."),
    quantity: quantity.describe("1 to 6400."),
  }),
  output: z.object({ server: z.string() }),
  annotations: acts,
  async handler(args, context) {
    const { server } = await askServer(context, "give_item", args);
    return {
      text: `Gave ${args.quantity} ${inline(args.item)} to ${inline(args.player)} on ${server.name}.`,
      structured: () => ({ server: server.provider.serverName }),
    };
  },
});

const { commands, stopOnFailure } = toolArguments.execute_commands.shape;

export const executeCommands = defineTool({
  name: "execute_commands",
  title: "Run several server commands",
  effect: "commands run",
  description:
    "Runs up to 100 commands one after the other, as execute_command does. If one is not allowed by " +
    "the bridge's owner, none runs.",
  input: z.object({
    ...target,
    commands: commands.meta({ description: "Run in this order.", obvious: true }),
    stopOnFailure: stopOnFailure.describe("Leave out the rest after a failure."),
  }),
  output: z.object({
    server: z.string(),
    ran: z.int(),
    results: z.array(z.record(z.string(), z.unknown())),
  }),
  annotations: acts,
  async handler(args, context) {
    if (context.allows?.("execute_command") === false) {
      throw new ToolError(
        "PERMISSION_DENIED: this client may not run commands.",
        "Nothing was done. Ask the bridge's owner to allow execute_command.",
      );
    }
    for (const [index, command] of args.commands.entries()) {
      requireCommand(context, command, `Nothing was run. Command ${index + 1}: `);
    }
    const answer = await askServer(context, "execute_commands", args);
    const { ran, results } = readResult(BatchResultSchema, answer);
    const failed = results.slice(0, ran).filter(({ success }) => !success).length;
    const { name, provider } = answer.server;
    const room = Math.max(40, Math.floor(OUTPUT_BYTES / results.length) - 20);
    const summary = `Ran ${ran} of ${args.commands.length} commands on ${name}; ${failed} failed.`;
    return {
      text: [summary, ...results.map((result, index) => line(result, index, room))].join("\n"),
      isError: failed > 0 || ran < args.commands.length,
      structured: () => ({ server: provider.serverName, ran, results }),
    };
  },
});

function line(
  { success, code, message = "", error = "" }: BatchResult["results"][number],
  index: number,
  room: number,
): string {
  const said = success ? message : error;
  const verdict = success ? "done" : code === undefined ? "failed" : inline(code);
  return `${index + 1}. ${verdict}${said === "" ? "" : `: ${quoted(said, room)}`}`;
}
