import { clients } from "../config/client-configs.js";
import { flagOf, settingGroups } from "../config/settings.js";
import { type SubcommandName, subcommands } from "../config/subcommands.js";

/** Everything on one screen; or one command, or all settings, with what they mean. */
export function helpText(of?: SubcommandName | "settings", program = "ccbridge"): string {
  if (of === "settings") return settingsText();
  if (of !== undefined) return `${program} ${commandText(of)}\n`;
  return `ccbridge: lets AI clients work inside Minecraft through ComputerCraft

Usage: ${program} [flags]            Run the bridge.
       ${program} <command> [flags]  Run a command; see below.

  --help, -h                      This text; after a command, its flags.
  --help-settings                 Every setting, and what it means.
  --version, -v                   The version.
  --stdio                         Serve one MCP client over stdin and stdout; shares a bridge that
                                  is already running on the MCP port, or starts one.
  --demo                          A base to look at without Minecraft: computers, turtles at work, a
                                  server, and an AI's calls, replayed. Keeps nothing.
  --tools <groups>, --slim        Short for --cc-tools <groups> and --cc-tools slim.
  --pages <origins>               Short for --cc-pages-origins <origins>: let web pages offer tools.
  --print-client-config <client>  Print the configuration for a client and name its file. Clients:
                                  ${clients.slice(0, 7).join(", ")},
                                  ${clients.slice(7).join(", ")}.
      --name <name>, --mode <mode>  With the token that has this name or mode, not the first one.

Commands:

${commandsText()}

Settings, as flags or as environment variables (--mcp-port is MCP_PORT); flags win:

${settingNames()}
`;
}

function settingNames(): string {
  return Object.entries(settingGroups)
    .map(([title, group]) => {
      const names = Object.values(group).map(({ env }) => `--${flagOf(env)}`);
      return [`  ${title}`, ...wrapped(names.join(" "), "      ")].join("\n");
    })
    .join("\n");
}

function settingsText(): string {
  const groups = Object.entries(settingGroups).map(([title, group]) => {
    const rows = Object.values(group).map(
      ({ env, value, description, default: usual }) =>
        `  --${flagOf(env)} <${value}>\n${wrapped(`${description} [${String(usual) || "none"}]`, "      ").join("\n")}`,
    );
    return `${title}:\n\n${rows.join("\n")}\n`;
  });
  return `Settings, as flags or as environment variables (--mcp-port is MCP_PORT); flags win.\n\n${groups.join("\n")}`;
}

const WIDTH = 100;

function commandsText(): string {
  return Object.entries(subcommands)
    .map(([name, { args = "", description }]) => {
      const [first = ""] = description.split(/(?<=[.:]) /);
      return [`  ${`${name} ${args}`.trim()}`, ...wrapped(first.replace(/:$/, "."), "      ")].join(
        "\n",
      );
    })
    .join("\n");
}

function commandText(name: SubcommandName): string {
  const { args = "", description, flags } = subcommands[name];
  const rows = Object.entries(flags).map(([flag, { value, description: text }]) => {
    const line = value === undefined ? `--${flag}` : `--${flag} <${value}>`;
    return `  ${line.padEnd(24)}  ${text}`;
  });
  return [`${name} ${args}`.trim(), "", ...wrapped(description, "  "), "", ...rows]
    .join("\n")
    .trimEnd();
}

function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length >= WIDTH) lines.push(`${indent}${word}`);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
