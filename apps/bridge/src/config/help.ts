import { clients } from "../clients/client-config.js";
import { flagOf, settings } from "./settings.js";

/** The text of --help. */
export function helpText(): string {
  const rows = Object.values(settings).map((setting) => {
    const fallback = String(setting.default);
    return [
      `--${flagOf(setting.env)} <${setting.value}>`,
      `${setting.description} [${fallback === "" ? "none" : fallback}]`,
    ] as const;
  });
  const width = Math.max(...rows.map(([flag]) => flag.length));
  const table = rows.map(([flag, description]) => `  ${flag.padEnd(width)}  ${description}`);
  return `ccbridge: lets AI clients work inside Minecraft through ComputerCraft

Usage: ccbridge [flags]

  --help, -h                      This text.
  --version, -v                   The version.
  --stdio                         Serve one MCP client over stdin and stdout; shares a bridge that
                                  already runs on the MCP port, or runs one.
  --tools <groups>, --slim        Short for --cc-tools <groups> and --cc-tools slim.
  --print-client-config <client>  Print the configuration for ${clients.join(", ")}.

Settings, as flags or as environment variables (--mcp-port is MCP_PORT); flags win:

${table.join("\n")}
`;
}
