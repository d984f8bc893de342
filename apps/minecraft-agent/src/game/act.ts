import {
  type CommandPatterns,
  type CommandResult,
  ServerErrorCode,
  type ToolArguments,
} from "@ccbridge/protocol/minecraft";
import { RequestError } from "../errors.js";
import { decimal, failureOf, toAscii, unexpected, withoutColours } from "./answers.js";
import type { CommandForm, Game } from "./game.js";

const MAX_ANSWER = 60_000;

export async function executeCommand(
  game: Game,
  patterns: CommandPatterns,
  args: ToolArguments<"execute_command">,
): Promise<CommandResult> {
  const checked = patterns.check(args.command);
  if (!checked.ok) throw new RequestError(checked.code, checked.reason);
  const { text, failed = false } = await game.perform(checked.command);
  const failure = failed ? unexpected(text) : failureOf(text);
  if (failure !== undefined) throw failure;
  return done([text, ...game.lossNote([text]).map((note) => `[${note}]`)].join("\n"));
}

export async function sendMessage(
  game: Game,
  { message, target = "@a" }: ToolArguments<"send_message">,
): Promise<CommandResult> {
  if (!game.hasCommands) return sendByMsmp(game, message, target);
  for (const piece of pieces(message, target, game.form)) {
    const answer = await game.own(`tellraw ${target} ${piece}`);
    const failure = failureOf(answer);
    if (failure === undefined) continue;
    // `@a` on an empty server is not a failure.
    if (failure.code === ServerErrorCode.playerNotFound && target === "@a") break;
    throw failure.code === ServerErrorCode.playerNotFound ? notOnline(target) : failure;
  }
  return { success: true };
}

async function sendByMsmp(game: Game, message: string, target: string): Promise<CommandResult> {
  const { msmp } = game;
  if (msmp === undefined) {
    throw new RequestError(
      ServerErrorCode.connectionError,
      "The server cannot be reached at the moment.",
    );
  }
  if (target !== "@a") {
    const { players } = await msmp.status();
    const wanted = target.toLowerCase();
    if (!players.some(({ name }) => name.toLowerCase() === wanted)) throw notOnline(target);
  }
  await msmp.request("minecraft:server/system_message", [
    {
      message: { literal: message },
      overlay: false,
      ...(target === "@a" ? {} : { receivingPlayers: [{ name: target }] }),
    },
  ]);
  return { success: true };
}

function* pieces(message: string, target: string, form: CommandForm): Generator<string> {
  const room = form.maxBytes - Buffer.byteLength(`minecraft:tellraw ${target} `);
  const toJson = (text: string) => {
    const json = JSON.stringify({ text });
    return form.isAsciiOnly ? toAscii(json) : json;
  };
  let piece = "";
  for (const char of message) {
    if (Buffer.byteLength(toJson(piece + char)) > room) {
      yield toJson(piece);
      piece = "";
    }
    piece += char;
  }
  yield toJson(piece);
}

export async function teleportPlayer(
  game: Game,
  { player, x, y, z, world }: ToolArguments<"teleport_player">,
): Promise<CommandResult> {
  // Without `at`, a console's tp would move the player to the overworld.
  const where = world === undefined ? `at ${player}` : `in ${world}`;
  const place = [x, y, z].map(decimal).join(" ");
  const answer = await game.own(`execute ${where} run tp ${player} ${place}`);
  if (/^Teleported /.test(withoutColours(answer))) return done(answer);
  const failure = unexpected(answer);
  const isOffline = failure.code === ServerErrorCode.playerNotFound || answer.trim() === "";
  throw isOffline ? notOnline(player) : failure;
}

export async function giveItem(
  game: Game,
  { player, item, quantity }: ToolArguments<"give_item">,
): Promise<CommandResult> {
  const answer = await game.own(`give ${player} ${item} ${quantity}`);
  if (/^Gave /.test(withoutColours(answer))) return done(answer);
  const failure = unexpected(answer);
  throw failure.code === ServerErrorCode.playerNotFound ? notOnline(player) : failure;
}

export function notOnline(player: string): RequestError {
  return new RequestError(ServerErrorCode.playerNotFound, `${player} is not online.`, {
    details: { player },
  });
}

function done(answer: string): CommandResult {
  const text = withoutColours(answer).trim();
  const message =
    text.length > MAX_ANSWER
      ? `${text.slice(0, MAX_ANSWER)}\n[... cut at ${MAX_ANSWER} characters]`
      : text;
  return message === "" ? { success: true } : { success: true, message };
}
