import {
  type CommandPatterns,
  commandTools,
  isToolName,
  ServerErrorCode,
  type ToolName,
  toolArguments,
  toolNames,
} from "@ccbridge/protocol/minecraft";
import type { z } from "zod";
import { RequestError } from "../errors.js";
import { executeCommand, giveItem, sendMessage, teleportPlayer } from "./act.js";
import { executeCommands } from "./batch.js";
import { fillBlocks, findBlocks, setBlocks } from "./blocks.js";
import type { Game } from "./game.js";
import { getPlayerInfo } from "./player-info.js";
import { getServerInfo } from "./server-info.js";
import { blocksNote, getWorldInfo } from "./world-info.js";

export interface Policy {
  tools: ReadonlySet<string>;
  patterns: CommandPatterns;
}

type Handlers = { [T in ToolName]: (args: z.infer<(typeof toolArguments)[T]>) => Promise<unknown> };

export async function callTool(
  game: Game,
  { tools, patterns }: Policy,
  { name, args }: { name: string; args: unknown },
  signal: AbortSignal,
): Promise<unknown> {
  if (!isToolName(name)) {
    throw new RequestError(
      ServerErrorCode.invalidCommand,
      `There is no tool ${JSON.stringify(name)}.`,
    );
  }
  if (!tools.has(name)) {
    throw new RequestError(
      ServerErrorCode.permissionDenied,
      `${name} is switched off on this server (commands.tools in minecraft-mcp-bridge.toml).`,
    );
  }
  const handlers: Handlers = {
    execute_command: (given) => executeCommand(game, patterns, given),
    send_message: (given) => sendMessage(game, given),
    teleport_player: (given) => teleportPlayer(game, given),
    give_item: (given) => giveItem(game, given),
    get_online_players: async () => (await game.players()).players.map((player) => player.name),
    get_player_info: ({ player }) => getPlayerInfo(game, player),
    get_server_info: () => getServerInfo(game),
    get_world_info: (given) => getWorldInfo(game, given),
    execute_commands: (given) => executeCommands(game, patterns, given, signal),
    set_blocks: (given) => setBlocks(game, given, signal),
    fill_blocks: (given) => fillBlocks(game, given, signal),
    find_blocks: (given) => findBlocks(game, given, signal),
  };
  return serve(name, handlers[name] as (args: unknown) => Promise<unknown>, args);
}

function serve(
  name: ToolName,
  handle: (args: unknown) => Promise<unknown>,
  args: unknown,
): Promise<unknown> {
  const parsed = toolArguments[name].safeParse(args);
  if (parsed.success) return handle(parsed.data);
  const [issue] = parsed.error.issues;
  // An overlong command is an invalid command, not an invalid argument.
  const code = commandTools.includes(name)
    ? ServerErrorCode.invalidCommand
    : ServerErrorCode.invalidArgs;
  throw new RequestError(code, `${issue?.path.join(".") || "args"}: ${issue?.message}`);
}

export function capabilitiesOf(
  routes: { commands: boolean; log: boolean; msmp: boolean },
  allowed: { tools: ReadonlySet<string>; events: readonly string[] },
): { tools: string[]; events: string[]; notes: Record<string, string> } {
  const notes: Record<string, string> = {
    block_break: "The log does not record it. A server mod that speaks this protocol reports it.",
  };
  const withoutCommands = ["send_message", "get_online_players", "get_server_info"];
  const tools: string[] = routes.commands ? [...toolNames] : routes.msmp ? withoutCommands : [];
  if (routes.commands) {
    notes.get_world_info = `Entities only. ${blocksNote}`;
    notes.find_blocks = "Over RCON each position is tried by itself: boxes of at most 4096 blocks.";
    for (const name of ["set_blocks", "fill_blocks"]) {
      notes[name] =
        "Over RCON dryRun, and what was there before, for at most 512 blocks, whose kinds are guessed.";
    }
  }
  for (const name of toolNames) {
    if (!tools.includes(name) && notes[name] === undefined) {
      notes[name] = "RCON is off: set enable-rcon and rcon.password in server.properties.";
    }
  }
  const events = [
    ...(routes.log || routes.msmp ? ["player_join", "player_quit"] : []),
    ...(routes.log ? ["player_chat", "player_death"] : []),
  ];
  for (const name of ["player_join", "player_quit", "player_chat", "player_death"]) {
    if (!events.includes(name)) notes[name] = "The server's log cannot be read.";
  }
  for (const name of tools) {
    if (!allowed.tools.has(name)) notes[name] = switchedOff("commands.tools");
  }
  for (const name of events) {
    if (!isAllowedEvent(name)) notes[name] = switchedOff("events.enabled");
  }
  return {
    tools: tools.filter((name) => allowed.tools.has(name)),
    events: events.filter(isAllowedEvent),
    notes,
  };

  function isAllowedEvent(name: string): boolean {
    return allowed.events.includes(name);
  }
}

function switchedOff(key: string): string {
  return `The server's owner switched it off (${key} in its minecraft-mcp-bridge.toml).`;
}
