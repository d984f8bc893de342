export const clients = [
  "opencode",
  "claude-code",
  "codex",
  "gemini",
  "cursor",
  "claude-desktop",
] as const;

export type ClientProgram = (typeof clients)[number];

export interface ClientConfigOptions {
  url: string;
  token?: string | undefined;
  program: string;
  env?: Record<string, string>;
}

export interface ClientConfig {
  where: string;
  text: string;
}

export function clientConfig(client: ClientProgram, options: ClientConfigOptions): ClientConfig {
  const { url, token, program } = options;
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  const headers = authorization === undefined ? {} : { headers: { Authorization: authorization } };
  switch (client) {
    case "opencode":
      return {
        where: "~/.config/opencode/opencode.json, or opencode.json in a project",
        text: json({
          $schema: "https://opencode.ai/config.json",
          mcp: { ccbridge: { type: "remote", url, enabled: true, ...headers } },
        }),
      };
    case "claude-code": {
      const header =
        authorization === undefined
          ? ""
          : ` --header ${shellQuoted(`Authorization: ${authorization}`)}`;
      // Without the scope it would apply only to the current folder.
      return {
        where: "a shell",
        text: `claude mcp add --scope user --transport http ccbridge ${url}${header}`,
      };
    }
    case "codex": {
      const lines = ["[mcp_servers.ccbridge]", `url = ${JSON.stringify(url)}`];
      if (authorization !== undefined) {
        lines.push(`http_headers = { Authorization = ${JSON.stringify(authorization)} }`);
      }
      return { where: "~/.codex/config.toml", text: lines.join("\n") };
    }
    case "gemini":
      return {
        where: "~/.gemini/settings.json",
        text: json({ mcpServers: { ccbridge: { httpUrl: url, ...headers } } }),
      };
    case "cursor":
      return {
        where: "~/.cursor/mcp.json",
        text: json({ mcpServers: { ccbridge: { url, ...headers } } }),
      };
    case "claude-desktop": {
      const { env = {} } = options;
      const given = Object.keys(env).length === 0 ? {} : { env };
      const server = { command: "node", args: [program, "--stdio"], ...given };
      return {
        where: "claude_desktop_config.json, by Settings > Developer > Edit Config",
        text: json({ mcpServers: { ccbridge: server } }),
      };
    }
  }
}

/** Double quotes work in every shell; values that they do not protect need a POSIX one. */
function shellQuoted(text: string): string {
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
