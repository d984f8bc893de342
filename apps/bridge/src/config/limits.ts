import type { RegistryLimits } from "@ccbridge/registry";
import type { SettingName } from "./settings.js";

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

/** Limits of the bridge that need no setting. docs/limits.md is generated from this table. */
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
    "Nesting depth of arrays and objects in a message.",
    "The message is refused with 400, before it is parsed.",
  ),
  jsonValues: fixed(
    "mcp",
    100_000,
    "count",
    "Values in a message, at any depth.",
    "The message is refused with 400, before it is parsed.",
  ),
  helloLength: fixed(
    "mcp",
    65_536,
    "count",
    "Characters in the first message of an MCP client: what it says about itself is kept.",
    "The message is refused with 400.",
  ),
  pipelined: fixed(
    "both",
    8,
    "count",
    "Unanswered requests on one HTTP connection. MCP clients send one at a time.",
    "The connection is destroyed.",
  ),
  incomingBytes: fixed(
    "both",
    134_217_728,
    "bytes",
    "Requests and WebSocket messages that have not arrived whole, of all peers of one port together, with what keeping them costs. Those below 4096 bytes are not counted.",
    "The address that holds the most loses its oldest: for a WebSocket message at once, for a request only after 2 seconds; if there is none, the new request is refused with 503.",
  ),
  fragments: fixed(
    "both",
    1_024,
    "count",
    "Fragments of one WebSocket message.",
    "The connection is closed.",
  ),
  callsPerSession: fixed(
    "mcp",
    256,
    "count",
    "Unanswered calls of one MCP session; for clients without sessions, of one address.",
    "Further calls are refused with 429, or with an error where there is no session.",
  ),
  viewCalls: fixed(
    "mcp",
    600,
    "count",
    "Calls in one minute by which a screen view, a dashboard page or a subscription polls one thing, and which count as a single call.",
    "The next call counts again, in the audit and towards `rate=` and `quota=`.",
  ),
  viewedScreens: fixed(
    "mcp",
    64,
    "count",
    "Things per session or page whose calls are counted that way.",
    "The next call for the least recently counted one counts again.",
  ),
  sharedSessions: fixed(
    "mcp",
    64,
    "count",
    "Clients without sessions (2026-07-28) that the bridge distinguishes, by token, address, program and web page session.",
    "The least recently used client of the address that has the most is forgotten: its watches and open calls end, but their work in the game continues.",
  ),
  callsAtOnce: fixed(
    "mcp",
    4_096,
    "count",
    "Calls of all MCP clients that the bridge is working on, including those whose client has hung up.",
    "Further calls are answered with an error that gives the reason.",
  ),
  callLength: fixed(
    "mcp",
    67_108_864,
    "count",
    "Characters in the arguments of all calls that the bridge is working on.",
    "Further calls with long arguments are answered with an error that gives the reason.",
  ),
  streamBytes: fixed(
    "mcp",
    1_048_576,
    "bytes",
    "Data waiting in one event stream for a client that does not read.",
    "The stream and its connection are destroyed; the client can open another.",
  ),
  unreadBytes: fixed(
    "mcp",
    67_108_864,
    "bytes",
    "Data that all MCP clients together have not read yet.",
    "The connection with the most unread bytes is destroyed.",
  ),
  mcpConnections: fixed(
    "mcp",
    4_096,
    "count",
    "Connections on the MCP port.",
    "Further connections are closed at once.",
  ),
  spareLinkConnections: fixed(
    "computers",
    512,
    "count",
    "Connections on the link port beyond `CC_MAX_LINKS`, for fetching files and for computers that have not introduced themselves yet.",
    "Further connections are closed at once.",
  ),
  sparePageConnections: fixed(
    "pages",
    64,
    "count",
    "Connections on the port for web pages beyond `CC_PAGES_MAX`, for posted messages and for pages that are refused.",
    "Further connections are closed at once.",
  ),
  linkUnreadBytes: fixed(
    "computers",
    268_435_456,
    "bytes",
    "Data that all computers together have not read yet, with 512 bytes more for each message; the same for all web pages, and for all Minecraft servers.",
    "The connection with the most unread data is destroyed.",
  ),
  linkRequestMs: fixed(
    "computers",
    10_000,
    "ms",
    "Time for a whole HTTP request on the link port or the port for web pages.",
    "The connection is closed with 408.",
  ),
  goodbyeMs: fixed(
    "computers",
    2_000,
    "ms",
    "Time for a computer to acknowledge that its link is being closed.",
    "The socket is destroyed.",
  ),
  tokenFailures: fixed(
    "both",
    20,
    "count",
    "Wrong tokens in a row from one address, on either port.",
    "The address gets 429 without a check of its token; each second that passes allows one more attempt.",
  ),
  tokenFailuresPerSecond: fixed(
    "both",
    1,
    "per second",
    "Wrong tokens from one address after that.",
    "As above.",
  ),
  rememberedAddresses: fixed(
    "both",
    4_096,
    "count",
    "Addresses whose failed attempts are remembered.",
    "The address whose last failure is the oldest is forgotten.",
  ),
  knownTokenLength: fixed(
    "both",
    16,
    "count",
    "Length from which a correct token is not slowed down by others who guess tokens from the same address.",
    "A shorter token waits along with the guesses, since fast guessing could find it.",
  ),
  knownTokens: fixed(
    "both",
    64,
    "count",
    "Correct tokens that are remembered for one address.",
    "The token that was first used the longest ago is forgotten, and is slowed down like any other.",
  ),
  proofMs: fixed(
    "mcp",
    10_000,
    "ms",
    "Time between the two steps in which `--stdio` and the bridge prove to each other that they know the token.",
    "The proof is refused; the program starts over.",
  ),
  dashboardViewers: fixed(
    "mcp",
    64,
    "count",
    "Dashboard pages open at once.",
    "A further page shows the reason and tries again.",
  ),
  dashboardStrangers: fixed(
    "mcp",
    32,
    "count",
    "Dashboard connections of one address that have not sent their first message. They do not count as open pages.",
    "The oldest of them is closed.",
  ),
  dashboardHelloMs: fixed(
    "mcp",
    5_000,
    "ms",
    "Time for the first message of a dashboard page, which carries its token.",
    "The socket is destroyed.",
  ),
  dashboardHelloLength: fixed(
    "mcp",
    8_192,
    "count",
    "Characters in that message.",
    "The socket is closed.",
  ),
  dashboardWatches: fixed(
    "mcp",
    32,
    "count",
    "Things that one dashboard page watches at once.",
    "Further ones are refused.",
  ),
  dashboardActions: fixed(
    "mcp",
    16,
    "count",
    "Unanswered requests of one dashboard page.",
    "Further ones are refused.",
  ),
  dashboardUnread: fixed(
    "mcp",
    8_388_608,
    "bytes",
    "Data waiting for a dashboard page that does not read. Updates of what it watches are never queued.",
    "The socket is destroyed; the page connects again.",
  ),
  questions: fixed(
    "mcp",
    64,
    "count",
    "Calls that wait for a person at the dashboard to allow them (`mode=ask`).",
    "Further calls are refused.",
  ),
  openQuestions: fixed(
    "mcp",
    256,
    "count",
    "Questions to one client without a session (2026-07-28) whose answer may still come.",
    "The oldest can no longer be answered: the client is asked again.",
  ),
  questionsPerClient: fixed(
    "mcp",
    16,
    "count",
    "Such calls of one token.",
    "Further calls of that token are refused.",
  ),
  pairings: fixed(
    "computers",
    256,
    "count",
    "Computers that wait for approval.",
    "One of the address that has the most is disconnected: one that was declined, or else one of the identity that waits most often, never of the half that has waited longest. It tries again.",
  ),
  pairingsPerAddress: fixed(
    "computers",
    64,
    "count",
    "Such computers of one address. All computers of a Minecraft server have the same.",
    "One of that address is disconnected in the same way.",
  ),
  logLines: fixed(
    "both",
    10,
    "count",
    "Log lines about one kind of event from one address in ten seconds (100 for all addresses).",
    "The rest are counted, and one line gives the count.",
  ),
  keptResultLength: fixed(
    "mcp",
    8_388_608,
    "count",
    "Characters of long results of web pages that one client can read on in, with read-result.",
    "The oldest are forgotten.",
  ),
  keptResultsLength: fixed(
    "mcp",
    67_108_864,
    "count",
    "The same for all clients together.",
    "The oldest are forgotten.",
  ),
} as const;

type Limits = { readonly [Name in keyof typeof fixedLimits]: number };

export const limits = Object.freeze(
  Object.fromEntries(Object.entries(fixedLimits).map(([name, { value }]) => [name, value])),
) as Limits;

type UnsetRegistryLimit = Exclude<keyof RegistryLimits, SettingName>;

/** Limits of the registry without a setting; a new one does not compile until it is described here. */
export const registryLimitNotes: Readonly<
  Record<UnsetRegistryLimit, { what: string; atLimit: string }>
> = {
  maxMalformed: {
    what: "Malformed frames in a row on one connection.",
    atLimit: "The connection is closed.",
  },
  maxEventBytes: {
    what: "Bytes of events kept for one computer, roughly.",
    atLimit: "The oldest events are dropped, and readers learn how many.",
  },
  keepEventLogs: {
    what: "Computers whose events are kept while they are not linked.",
    atLimit: "The events of the computer that left the longest ago are forgotten.",
  },
  maxOfferedTools: {
    what: "Tools that one computer may offer.",
    atLimit: "The rest are not offered, and are reported as broken.",
  },
  maxOfferedToolsLength: {
    what: "Characters of JSON that the tools of one computer may take together.",
    atLimit: "Those that do not fit are not offered, and are reported as broken.",
  },
  maxAllOfferedTools: {
    what: "Tools that all computers and web pages together may offer.",
    atLimit: "Each may still offer 8; its other new ones are reported as broken.",
  },
  maxAllOfferedToolsLength: {
    what: "Characters of JSON that all those tools may take together.",
    atLimit: "Those of each may still take 8192; its other new ones are reported as broken.",
  },
};
