import { bytes, host, hosts, integer, origins, port, setting, text, tokens } from "./setting.js";

/** The side on which MCP clients connect. */
export const mcpSettings = {
  mcpHost: setting("MCP_HOST", host, "127.0.0.1", "host", "Address on which MCP clients connect."),
  mcpPort: setting("MCP_PORT", port, 3_000, "port", "Port on which MCP clients connect."),
  mcpTokens: setting(
    "MCP_TOKENS",
    tokens,
    [] as string[],
    "tokens",
    "Bearer tokens that MCP clients may use, separated by commas. None: no token is needed.",
  ),
  mcpTokensFile: setting(
    "MCP_TOKENS_FILE",
    text,
    "",
    "path",
    "File with more of them, one a line; lines with # are comments.",
  ),
  mcpAllowedHosts: setting(
    "MCP_ALLOWED_HOSTS",
    hosts,
    [] as string[],
    "hosts",
    "Further names under which MCP clients may reach the bridge (the Host header), `*` for any.",
  ),
  mcpAllowedOrigins: setting(
    "MCP_ALLOWED_ORIGINS",
    origins,
    [] as string[],
    "origins",
    "Web pages that may talk to the bridge from a browser (the Origin header).",
  ),
  maxSessions: setting(
    "MCP_MAX_SESSIONS",
    integer(1, 100_000),
    256,
    "count",
    "MCP sessions at once; the longest idle one makes room for a new one.",
    "A session that nobody reads makes room first; see [who makes room](#who-makes-room).",
  ),
  sessionIdleMs: setting(
    "MCP_SESSION_IDLE_MS",
    integer(1_000, 2_147_483_647),
    86_400_000,
    "ms",
    "How long an MCP session may be idle before it is forgotten.",
    "The session is forgotten; its client gets 404 and starts another.",
  ),
  bodyLimitBytes: setting(
    "MCP_BODY_LIMIT_BYTES",
    bytes,
    4 * 1_024 * 1_024,
    "bytes",
    "Largest request of an MCP client.",
    "The request is refused with 413.",
  ),
} as const;
