import { parseArgs } from "node:util";
import { ConfigError, configPath, type Overrides } from "./config/load.js";

export type Command =
  | { action: "help" }
  | { action: "version" }
  | {
      action: "run" | "check" | "write-config";
      folder: string;
      path: string;
      overrides: Overrides;
    };

export const helpText = `Links an unmodified Minecraft server to ccbridge. Run it beside the server.

  ccbridge-minecraft-agent [folder] [flags]

  folder            the server's folder, with server.properties; this one if it is left out
  --url URL         where the bridge is, such as ws://localhost:3001/minecraft (also BRIDGE_URL)
  --name NAME       what AI clients call this server
  --config FILE     minecraft-mcp-bridge.toml; otherwise it is looked for in config/ and in the folder
  --write-config    writes a new minecraft-mcp-bridge.toml with every setting, and ends
  --check           tries the server and the bridge, says what to switch on, and ends
  --help, --version

The token comes from AUTH_TOKEN or from minecraft-mcp-bridge.toml: the list of processes shows flags.
`;

export function parseCommand(argv: string[], env: Record<string, string | undefined>): Command {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(argv);
  } catch (error) {
    // Node appends advice that does not apply here.
    const [problem = ""] = (error as Error).message.split(". To specify");
    throw new ConfigError(`${problem}. See --help.`);
  }
  const { values, positionals } = parsed;
  if (values.help) return { action: "help" };
  if (values.version) return { action: "version" };
  if (positionals.length > 1) throw new ConfigError("Give one folder. See --help.");
  const [folder = "."] = positionals;
  return {
    action: values["write-config"] ? "write-config" : values.check ? "check" : "run",
    folder,
    path: values.config ?? configPath(folder),
    overrides: {
      url: values.url ?? (env.BRIDGE_URL || undefined),
      token: env.AUTH_TOKEN || undefined,
      name: values.name,
    },
  };
}

function parse(args: string[]) {
  return parseArgs({
    args: args.filter((arg) => arg !== "--"),
    allowPositionals: true,
    options: {
      url: { type: "string" },
      name: { type: "string" },
      config: { type: "string" },
      "write-config": { type: "boolean" },
      check: { type: "boolean" },
      help: { type: "boolean", short: "h" },
      version: { type: "boolean", short: "v" },
    },
  });
}
