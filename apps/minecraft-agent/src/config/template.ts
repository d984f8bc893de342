import {
  DEFAULT_SERVER_NAME,
  eventTypes,
  MAX_COMMAND_LENGTH,
  suggestedPatterns,
  toolNames,
} from "@ccbridge/protocol/minecraft";
import type { Overrides } from "./load.js";

export function configTemplate({ url, token, name }: Overrides): string {
  const quoted = (text: string) => JSON.stringify(text);
  // Single quotes: TOML then leaves the backslashes of patterns alone.
  const list = (items: readonly string[], quote: (item: string) => string) =>
    `[\n${items.map((item) => `  ${quote(item)},\n`).join("")}]`;
  return `# How this Minecraft server is linked to ccbridge. Changes are taken while the agent runs.

[bridge]
# Where the bridge listens for Minecraft servers.
url = ${quoted(url ?? "ws://localhost:3001/minecraft")}
# One of the bridge's tokens for servers (MINECRAFT_TOKENS).
auth_token = ${quoted(token ?? "")}
# Attempts before giving up; 0 means forever.
reconnect_attempts = 0
# The first wait between attempts, in milliseconds. Each next one is longer, up to 30 seconds.
reconnect_delay = 1000

[events]
enabled = ${list(eventTypes, quoted)}
# Events that are kept while the bridge is away; the oldest are dropped first, and counted.
queue_size = 10000

[commands]
# What execute_command may run. A pattern must fit the whole command; an empty list allows nothing.
# The bridge has its own list: a command must match both.
allowed_patterns = ${list(suggestedPatterns, (pattern) => `'${pattern}'`)}
# Tools that this server serves at all.
tools = ${list(toolNames, quoted)}

[security]
require_auth = true
max_command_length = ${MAX_COMMAND_LENGTH}

[logging]
# DEBUG, INFO, WARN or ERROR
level = "INFO"

[server]
# What AI clients call this server. Needed when several are linked.
name = ${quoted(name ?? DEFAULT_SERVER_NAME)}
# The agent finds these by itself, in server.properties:
# log = "logs/latest.log"
# rcon_host = "127.0.0.1"
# rcon_port = 25575
# rcon_password = "..."
# game_host = "127.0.0.1"
# game_port = 25565
# management_url = "wss://localhost:25585"
# management_secret = "..."
# For chat plugins: two groups, the player's name and the message.
# chat_pattern = '^<([^>]{1,64})> (.*)$'
`;
}
