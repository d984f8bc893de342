export interface ClientConfigOptions {
  url: string;
  token?: string | undefined;
  command: readonly string[];
  env?: Record<string, string>;
  /** @default "linux" */
  platform?: NodeJS.Platform;
}

export interface ClientConfig {
  where: string;
  text: string;
}

type Headers = { headers?: { Authorization: string } };

interface ClientFormat {
  where: string | { darwin: string; win32: string; other: string };
  text(options: ClientConfigOptions, headers: Headers): string;
}

const formats = {
  opencode: {
    where: "~/.config/opencode/opencode.json, or opencode.json in a project",
    text: ({ url }, headers) =>
      json({
        $schema: "https://opencode.ai/config.json",
        mcp: { ccbridge: { type: "remote", url, enabled: true, ...headers } },
      }),
  },
  "claude-code": {
    where: "a shell",
    text({ url }, { headers }) {
      const header =
        headers && ` --header ${shellQuoted(`Authorization: ${headers.Authorization}`)}`;
      // Without the scope it would apply only to the current folder.
      return `claude mcp add --scope user --transport http ccbridge ${url}${header ?? ""}`;
    },
  },
  codex: {
    where: "~/.codex/config.toml",
    text({ url }, { headers }) {
      const lines = ["[mcp_servers.ccbridge]", `url = ${JSON.stringify(url)}`];
      if (headers) {
        lines.push(`http_headers = { Authorization = ${JSON.stringify(headers.Authorization)} }`);
      }
      return lines.join("\n");
    },
  },
  gemini: {
    where: "~/.gemini/settings.json",
    text: ({ url }, headers) => json({ mcpServers: { ccbridge: { httpUrl: url, ...headers } } }),
  },
  cursor: {
    where: "~/.cursor/mcp.json",
    text: ({ url }, headers) => json({ mcpServers: { ccbridge: { url, ...headers } } }),
  },
  vscode: {
    where:
      ".vscode/mcp.json in a project, or the file that the command MCP: Open User Configuration opens",
    text: ({ url }, headers) => json({ servers: { ccbridge: { type: "http", url, ...headers } } }),
  },
  windsurf: {
    where: "~/.codeium/windsurf/mcp_config.json",
    text: ({ url }, headers) => json({ mcpServers: { ccbridge: { serverUrl: url, ...headers } } }),
  },
  zed: {
    where: {
      darwin: "~/.config/zed/settings.json",
      win32: "%APPDATA%\\Zed\\settings.json",
      other: "~/.config/zed/settings.json",
    },
    text: ({ url }, headers) => json({ context_servers: { ccbridge: { url, ...headers } } }),
  },
  cline: {
    where: "cline_mcp_settings.json, by MCP Servers > Configure > Configure MCP Servers",
    text: ({ url }, headers) =>
      json({ mcpServers: { ccbridge: { type: "streamableHttp", url, ...headers } } }),
  },
  goose: {
    where: {
      darwin: "~/.config/goose/config.yaml",
      win32: "%APPDATA%\\Block\\goose\\config\\config.yaml",
      other: "~/.config/goose/config.yaml",
    },
    text({ url }, { headers }) {
      // A JSON string is a YAML string.
      const fields = ["enabled: true", "type: streamable_http", "name: ccbridge"];
      fields.push(`uri: ${JSON.stringify(url)}`, "timeout: 300");
      if (headers)
        fields.push("headers:", `  Authorization: ${JSON.stringify(headers.Authorization)}`);
      return ["extensions:", "  ccbridge:", ...fields.map((field) => `    ${field}`)].join("\n");
    },
  },
  "lm-studio": {
    where: "~/.lmstudio/mcp.json, by Program > Install > Edit mcp.json",
    text: ({ url }, headers) => json({ mcpServers: { ccbridge: { url, ...headers } } }),
  },
  "claude-desktop": {
    where: {
      darwin:
        "~/Library/Application Support/Claude/claude_desktop_config.json, by Settings > Developer > Edit Config",
      win32: "%APPDATA%\\Claude\\claude_desktop_config.json, by Settings > Developer > Edit Config",
      other: "~/.config/Claude/claude_desktop_config.json, by Settings > Developer > Edit Config",
    },
    text({ command: [command, ...args], env = {} }) {
      const given = Object.keys(env).length === 0 ? {} : { env };
      const server = { command, args: [...args, "--stdio"], ...given };
      return json({ mcpServers: { ccbridge: server } });
    },
  },
} satisfies Record<string, ClientFormat>;

export type ClientProgram = keyof typeof formats;

export const clients = Object.keys(formats) as ClientProgram[];

export function isClient(value: string): value is ClientProgram {
  return Object.hasOwn(formats, value);
}

export function clientConfig(client: ClientProgram, options: ClientConfigOptions): ClientConfig {
  const { token, platform = "linux" } = options;
  const headers = token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } };
  const { where, text }: ClientFormat = formats[client];
  return {
    where: typeof where === "string" ? where : placeOn(platform, where),
    text: text(options, headers),
  };
}

function placeOn(
  platform: NodeJS.Platform,
  places: { darwin: string; win32: string; other: string },
): string {
  return platform === "darwin" || platform === "win32" ? places[platform] : places.other;
}

/** Double quotes work in every shell; values that they do not protect need a POSIX one. */
function shellQuoted(text: string): string {
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
