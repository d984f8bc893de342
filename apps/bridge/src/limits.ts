import type { RegistryLimits } from "@ccbridge/registry";
import type { SettingName } from "./config/settings.js";

/** A bound that is not a setting: what it is on, and what happens at it. */
interface FixedLimit {
  side: "mcp" | "computers" | "pages" | "both";
  value: number;
  unit: "bytes" | "ms" | "count" | "per second";
  what: string;
  atLimit: string;
}

function fixed(
  side: FixedLimit["side"],
  value: number,
  unit: FixedLimit["unit"],
  what: string,
  atLimit: string,
): Readonly<FixedLimit> {
  return { side, value, unit, what, atLimit };
}

/** Bounds of the bridge's own side that nobody needs to set. docs/limits.md is made from this table. */
export const fixedLimits = {
  batchMessages: fixed(
    "mcp",
    32,
    "count",
    "Messages in one JSON-RPC batch.",
    "The batch is refused with 400, before it is parsed.",
  ),
  jsonDepth: fixed(
    "mcp",
    128,
    "count",
    "Arrays and objects inside of each other in a message.",
    "The message is refused with 400, before it is parsed.",
  ),
  helloLength: fixed(
    "mcp",
    65_536,
    "count",
    "Characters of the message with which an MCP client begins: what it says of itself is kept.",
    "The message is refused with 400.",
  ),
  pipelined: fixed(
    "both",
    8,
    "count",
    "Requests of one HTTP connection that are not answered yet. No MCP client has more than one.",
    "The connection is destroyed.",
  ),
  callsPerSession: fixed(
    "mcp",
    256,
    "count",
    "Calls of one MCP session that are not answered yet; of clients without sessions, those of one address.",
    "A further call is refused with 429, or with an error where there is no session.",
  ),
  viewCalls: fixed(
    "mcp",
    600,
    "count",
    "Calls of the screen view at one screen, of one session in a minute, that count as one.",
    "The next one counts again: for the audit, and for `rate=` and `quota=`.",
  ),
  viewedScreens: fixed(
    "mcp",
    64,
    "count",
    "Screens that the views of one session follow in that way.",
    "The one that was counted the longest ago counts again.",
  ),
  sharedSessions: fixed(
    "mcp",
    64,
    "count",
    "Clients without sessions (2026-07-28) that are told apart, by token, address, program and session of web pages.",
    "Of the address that has the most, what was not used for longest is forgotten: its watches and open calls end, their work in the game goes on.",
  ),
  callsAtOnce: fixed(
    "mcp",
    4_096,
    "count",
    "Calls of all MCP clients that the bridge works on, those included whose client hung up.",
    "A further call is answered with an error that says so.",
  ),
  callLength: fixed(
    "mcp",
    67_108_864,
    "count",
    "Characters in the arguments of all calls that the bridge works on.",
    "A further call with long arguments is answered with an error that says so.",
  ),
  streamBytes: fixed(
    "mcp",
    1_048_576,
    "bytes",
    "What may wait in one event stream for a client that does not read.",
    "The stream and its connection are destroyed; the client may open another.",
  ),
  unreadBytes: fixed(
    "mcp",
    67_108_864,
    "bytes",
    "What all MCP clients together have not read yet.",
    "The connection with the most unread bytes is destroyed.",
  ),
  mcpConnections: fixed(
    "mcp",
    4_096,
    "count",
    "Connections on the MCP port.",
    "A further one is closed at once.",
  ),
  spareLinkConnections: fixed(
    "computers",
    512,
    "count",
    "Connections on the link port beyond `CC_MAX_LINKS`: those that fetch a file or say hello.",
    "A further one is closed at once.",
  ),
  sparePageConnections: fixed(
    "pages",
    64,
    "count",
    "Connections on the port of pages beyond `CC_PAGES_MAX`: those that post a message, or are refused.",
    "A further one is closed at once.",
  ),
  linkRequestMs: fixed(
    "computers",
    10_000,
    "ms",
    "Time for a whole HTTP request on the link port, and on that of pages.",
    "The connection is closed with 408.",
  ),
  goodbyeMs: fixed(
    "computers",
    2_000,
    "ms",
    "Time for a computer to take the goodbye when its link is closed.",
    "The socket is destroyed.",
  ),
  tokenFailures: fixed(
    "both",
    20,
    "count",
    "Wrong tokens of one address in a row, on either port.",
    "The address gets 429 without a look at its token, until a second has passed for each further try.",
  ),
  tokenFailuresPerSecond: fixed(
    "both",
    1,
    "per second",
    "Wrong tokens of one address after that.",
    "As above.",
  ),
  rememberedAddresses: fixed(
    "both",
    4_096,
    "count",
    "Addresses whose wrong tokens are remembered.",
    "The one that failed the longest ago is forgotten.",
  ),
  knownTokenLength: fixed(
    "both",
    16,
    "count",
    "Characters that a token needs so that others who guess at its address do not slow it down.",
    "A shorter one waits with the guesses, since it could be found by haste.",
  ),
  knownTokens: fixed(
    "both",
    64,
    "count",
    "Tokens of one address that were right, and are remembered for that.",
    "The one that was first shown the longest ago is forgotten; it is slowed down as any other.",
  ),
  proofMs: fixed(
    "mcp",
    10_000,
    "ms",
    "Time between the two steps in which `--stdio` and a bridge prove to each other that they know the token.",
    "The proof is refused; the program begins again.",
  ),
  dashboardViewers: fixed(
    "mcp",
    64,
    "count",
    "Pages of the dashboard that are open at once.",
    "A further one is told so and tries again.",
  ),
  dashboardHelloMs: fixed(
    "mcp",
    5_000,
    "ms",
    "Time for the first message of a page of the dashboard, which shows its token.",
    "The socket is destroyed.",
  ),
  dashboardWatches: fixed(
    "mcp",
    32,
    "count",
    "Things that one page of the dashboard watches at once.",
    "A further one is refused.",
  ),
  dashboardAsks: fixed(
    "mcp",
    16,
    "count",
    "Questions of one page of the dashboard that are not answered yet.",
    "A further one is refused.",
  ),
  dashboardUnread: fixed(
    "mcp",
    8_388_608,
    "bytes",
    "What may wait for a page of the dashboard that does not read. What it watches never waits.",
    "The socket is destroyed; the page connects again.",
  ),
  logLines: fixed(
    "both",
    10,
    "count",
    "Lines in the log about one address and one kind of event in ten seconds (100 for all addresses).",
    "The rest is counted, and one line tells the count.",
  ),
} as const;

type Limits = { readonly [Name in keyof typeof fixedLimits]: number };

/** The same as plain numbers, for the code that keeps them. */
export const limits = Object.freeze(
  Object.fromEntries(Object.entries(fixedLimits).map(([name, { value }]) => [name, value])),
) as Limits;

type UnsetRegistryLimit = Exclude<keyof RegistryLimits, SettingName>;

/** Bounds of the registry without a setting; a new one does not compile until it is described here. */
export const registryLimitNotes: Readonly<
  Record<UnsetRegistryLimit, { what: string; atLimit: string }>
> = {
  maxMalformed: {
    what: "Malformed frames of one connection in a row.",
    atLimit: "The connection is closed.",
  },
  maxEventBytes: {
    what: "Bytes of events that are kept of one computer, roughly.",
    atLimit: "The oldest events are dropped, and a reader is told how many.",
  },
  keepEventLogs: {
    what: "Computers whose events are kept while they are not linked.",
    atLimit: "Those of the one that left the longest ago are forgotten.",
  },
  maxOfferedTools: {
    what: "Tools that one computer may offer.",
    atLimit: "The rest is not offered, and reported as broken.",
  },
  maxOfferedToolsLength: {
    what: "Characters of JSON that the tools of one computer may take together.",
    atLimit: "Those that do not fit are not offered, and reported as broken.",
  },
};
