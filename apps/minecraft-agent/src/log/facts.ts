import type { LogLine } from "./line.js";

/** What a line of the log says, if it says something that matters. */
export type LogFact =
  | { kind: "uuid"; player: string; uuid: string }
  | { kind: "join"; player: string }
  | { kind: "quit"; player: string }
  | { kind: "chat"; player: string; message: string }
  /** Begins with a word that may be a player's name; `sure` when the rest is a known way to die. */
  | { kind: "death"; player: string; cause: string; killer: string | undefined; sure: boolean }
  | { kind: "version"; version: string }
  | { kind: "started" };

const name = String.raw`(\.?\w{1,16})`;
const uuid = new RegExp(`^UUID of player ${name} is ([\\da-f-]{36})$`, "i");
const join = new RegExp(`^${name}(?: \\(formerly known as [^)]{1,40}\\))? joined the game$`);
const quit = new RegExp(`^${name} left the game$`);
const version = /^Starting minecraft server version (\S{1,40})$/i;
const started = /^Done \([\d.,]+s\)! For help/;
/** The usual layout of chat. Servers without signed chat mark it. */
const usualChat = /^(?:\[Not Secure\] )?<([^>]{1,64})> (.*)$/;
const someone = new RegExp(`^${name} (.+)$`);

// Other things that the server says of a player.
const notDeath =
  /^(?:joined the game|left the game|lost connection: |has (?:made the advancement|completed the challenge|reached the goal|just earned) |moved (?:too quickly|wrongly)|was kicked|issued server command|\(vehicle of |\(formerly known as |tried to |is now |logged in |disconnected)/;

// How people die, in the game's own English. What mods add is found by asking for the player's health.
const causesOfDeath = [
  "was (?:shot|pummeled|slain|killed|fireballed|skewered|squashed|squished|obliterated|smashed|impaled|blown up|struck by lightning|stung|poked|pricked|frozen|doomed|burn(?:ed|t)|roasted|sniped|spitballed|speared|fried|too soft|squashed)\\b",
  "walked into (?:a cactus|fire|the danger zone)",
  "(?:drowned|died|blew up|suffocated in a wall|withered away|starved to death|froze to death)\\b",
  "experienced kinetic energy",
  "hit the ground too hard",
  "fell (?:from|off|while|too far|out of|into)\\b",
  "went (?:up in flames|off with a bang)",
  "burned to death",
  "tried to swim in lava",
  "discovered the floor was lava",
  "left the confines of this world",
  "didn't want to live",
  "was unfortunately",
];
const death = new RegExp(`^(?:${causesOfDeath.join("|")})`);
const killer =
  /(?: by | to escape | fighting | world as | due to | because of | hurt | save themselves from )(.+?)(?: using .+| with .+| in .+)?$/;

/** Reads a line. `chat` is the server's own layout: two groups, the name and the message. */
export function factOf(line: LogLine, chat: RegExp = usualChat): LogFact | undefined {
  const { thread, level, text } = line;
  if (level !== "INFO") return undefined;
  // Chat may hold any text, and comes from other threads too. The rest is said by the server itself.
  const isMain = thread === "Server thread";
  if (isMain || /^(?:Async Chat Thread|Netty |User Authenticator)/.test(thread)) {
    const [, player, message] = chat.exec(text) ?? [];
    if (player !== undefined && message !== undefined) return { kind: "chat", player, message };
  }
  if (/^User Authenticator/.test(thread)) {
    const [, player, id] = uuid.exec(text) ?? [];
    return player !== undefined && id !== undefined
      ? { kind: "uuid", player, uuid: id }
      : undefined;
  }
  if (isMain) return saidByServer(text);
  return undefined;
}

function saidByServer(text: string): LogFact | undefined {
  const [, joined] = join.exec(text) ?? [];
  if (joined !== undefined) return { kind: "join", player: joined };
  const [, left] = quit.exec(text) ?? [];
  if (left !== undefined) return { kind: "quit", player: left };
  const [, number] = version.exec(text) ?? [];
  if (number !== undefined) return { kind: "version", version: number };
  if (started.test(text)) return { kind: "started" };
  const [, player, rest] = someone.exec(text) ?? [];
  if (player === undefined || rest === undefined) return undefined;
  const sure = death.test(rest);
  if (!sure && notDeath.test(rest)) return undefined;
  const [, by] = killer.exec(rest) ?? [];
  return { kind: "death", player, cause: text, killer: sure ? by : undefined, sure };
}

/** A layout of chat from the configuration. Throws when it is not one. */
export function parseChatPattern(source: string): RegExp {
  const pattern = new RegExp(source);
  const groups = new RegExp(`${source}|`).exec("")?.length ?? 0;
  if (groups < 3) throw new Error("needs two groups: the player's name and the message");
  return pattern;
}
