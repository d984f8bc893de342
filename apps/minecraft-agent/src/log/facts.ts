import type { LogLine } from "./line.js";

export type LogFact =
  | { kind: "uuid"; player: string; uuid: string }
  | { kind: "join"; player: string }
  | { kind: "quit"; player: string }
  | { kind: "chat"; player: string; message: string }
  /** The first word may be a player's name; `sure` when the rest is a known death message. */
  | { kind: "death"; player: string; cause: string; killer: string | undefined; sure: boolean }
  | { kind: "version"; version: string }
  | { kind: "started" };

const name = String.raw`(\.?\w{1,16})`;
const uuid = new RegExp(`^UUID of player ${name} is ([\\da-f-]{36})$`, "i");
const join = new RegExp(`^${name}(?: \\(formerly known as [^)]{1,40}\\))? joined the game$`);
const quit = new RegExp(`^${name} left the game$`);
const version = /^Starting minecraft server version (\S{1,40})$/i;
const started = /^Done \([\d.,]+s\)! For help/;
/** The default chat format; servers without signed chat add a prefix. */
const usualChat = /^(?:\[Not Secure\] )?<([^>]{1,64})> (.*)$/;
const someone = new RegExp(`^${name} (.+)$`);

const notDeath =
  /^(?:joined the game|left the game|lost connection: |has (?:made the advancement|completed the challenge|reached the goal|just earned) |moved (?:too quickly|wrongly)|was kicked|issued server command|\(vehicle of |\(formerly known as |tried to |is now |logged in |disconnected)/;

// The game's English death messages. Deaths from mods are found by querying the player's health.
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

/** `chat` is the server's own format with two groups: name and message. */
export function factOf(line: LogLine, chat: RegExp = usualChat): LogFact | undefined {
  const { thread, level, text } = line;
  if (level !== "INFO") return undefined;
  // Chat may contain any text and comes from other threads too; everything else must be from the
  // main thread.
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

export function parseChatPattern(source: string): RegExp {
  const pattern = new RegExp(source);
  const groups = new RegExp(`${source}|`).exec("")?.length ?? 0;
  if (groups < 3) throw new Error("needs two groups: the player's name and the message");
  return pattern;
}
