import { setTimeout as delay } from "node:timers/promises";
import { ServerErrorCode, type ServerInfo } from "@ccbridge/protocol/minecraft";
import { RequestError } from "../errors.js";
import type { ServerStatus } from "../status/ping.js";
import { failureOf, lastInteger, withoutColours } from "./answers.js";
import type { Game, PlayerList } from "./game.js";

const DAY_TICKS = 24_000;
const FULL_SPEED = 20;

/** Values this version cannot report are null, with a note. */
export async function getServerInfo(game: Game): Promise<ServerInfo> {
  const notes: string[] = [];
  const status = await game.ping();
  const list = await listOf(game, status);
  const info: ServerInfo = {
    version: await game.version(status),
    onlinePlayers: list?.players.length ?? status?.online ?? null,
    maxPlayers: list?.max ?? status?.max ?? null,
    timeOfDay: null,
    weather: null,
    tps: null,
  };
  if (!game.hasCommands) {
    notes.push("Time, weather and speed need RCON, which is off on this server.");
  } else if (list === undefined) {
    notes.push("RCON does not answer, so time, weather and speed are unknown.");
  } else {
    info.timeOfDay = await timeOfDay(game);
    info.weather = await weather(game);
    info.tps = await tps(game);
    if (info.weather === null) notes.push("The weather cannot be read before Minecraft 1.20.5.");
    if (info.tps === null) notes.push("The game's clock stood still, so its speed is unknown.");
  }
  return notes.length === 0 ? info : { ...info, notes };
}

/** Undefined when only the ping of the game works. */
async function listOf(
  game: Game,
  status: ServerStatus | undefined,
): Promise<PlayerList | undefined> {
  try {
    return await game.players();
  } catch (error) {
    const isDown = error instanceof RequestError && error.code === ServerErrorCode.connectionError;
    if (isDown && status !== undefined) return undefined;
    throw error;
  }
}

async function timeOfDay(game: Game): Promise<number | null> {
  const answer = await game.own("time query daytime");
  const ticks = failureOf(answer) === undefined ? lastInteger(answer) : null;
  return ticks === null ? null : ((ticks % DAY_TICKS) + DAY_TICKS) % DAY_TICKS;
}

/** There is no weather query; 1.20.5 and later accept an inline predicate. */
async function weather(game: Game): Promise<string | null> {
  const is = async (state: string) => {
    const condition = `{condition:"minecraft:weather_check",${state}:true}`;
    const answer = await game.own(`execute if predicate ${condition}`);
    return /test passed/i.test(answer) ? true : /test failed/i.test(answer) ? false : undefined;
  };
  const thunder = await is("thundering");
  if (thunder === undefined) return null;
  if (thunder) return "thunder";
  return (await is("raining")) === true ? "rain" : "clear";
}

/** From the game, else from the server software's command, else measured. */
async function tps(game: Game): Promise<number | null> {
  const reported = parseTickQuery(await game.own("tick query"));
  if (reported !== undefined) return reported;
  const command = { bukkit: "tps", forge: "forge tps", neoforge: "neoforge tps" }[
    game.software as string
  ];
  if (command !== undefined) {
    const speed = parseTps(await game.run(command));
    if (speed !== undefined) return speed;
  }
  return measure(game);
}

/** 1.20.3 and later: `Target tick rate: 20.0 per second. Average time per tick: 12.5ms`. */
function parseTickQuery(answer: string): number | undefined {
  const text = withoutColours(answer);
  const [, average] = /Average time per tick: ([\d.]+) ?ms/i.exec(text) ?? [];
  if (average === undefined) return undefined;
  const [, rate = String(FULL_SPEED)] = /Target tick rate: ([\d.]+)/i.exec(text) ?? [];
  const target = Number.parseFloat(rate);
  const possible = Number.parseFloat(average) > 0 ? 1_000 / Number.parseFloat(average) : target;
  return round(Math.min(target, possible));
}

/** Paper: `TPS from last 1m, 5m, 15m: 20.0, ...`; Forge and NeoForge: `Mean TPS: 20.000`. */
function parseTps(answer: string): number | undefined {
  const text = withoutColours(answer);
  const [, paper] = /TPS from last[^:]*: \*?([\d.]+)/i.exec(text) ?? [];
  const means = [...text.matchAll(/Mean TPS: ([\d.]+)/gi)];
  const value = paper ?? means.at(-1)?.[1];
  return value === undefined ? undefined : round(Math.min(FULL_SPEED, Number.parseFloat(value)));
}

/** Older versions: measured by the game's clock, which stops on a paused server. */
async function measure(game: Game): Promise<number | null> {
  const clock = async () => lastInteger(await game.own("time query gametime"));
  const first = await clock();
  const started = performance.now();
  await delay(game.measureMs);
  const second = await clock();
  const seconds = (performance.now() - started) / 1_000;
  if (first === null || second === null || second <= first) return null;
  return round(Math.min(FULL_SPEED, (second - first) / seconds));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
