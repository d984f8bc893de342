import { parseArgs } from "node:util";
import { didYouMean } from "./nearest.js";
import { flagOf, settings } from "./settings.js";
import { isSubcommand, type SubcommandName, subcommands } from "./subcommands.js";

export interface CommandLine {
  subcommand: SubcommandName | undefined;
  flags: Map<string, string>;
  args: string[];
  /** Whether the first word is none of the commands. */
  isUnknown: boolean;
}

const commonSwitches = { help: "h", version: "v" } as const;
const serveSwitches = ["help-settings", "stdio", "slim", "demo"];
const serveValues = ["print-client-config", "name", "mode", "tools", "pages"];

const secretFlags = ["auth-token", "btcp-session-id", "cc-pages-grants"];

export function isSecret(flag: string): boolean {
  return flag.endsWith("-tokens") || secretFlags.includes(flag);
}

export function readCommandLine(argv: readonly string[], problems: string[]): CommandLine {
  // Package managers pass on their own "--".
  const start = argv.findIndex((arg) => arg !== "--");
  const all = start < 0 ? [] : argv.slice(start);
  const [first = ""] = all;
  const subcommand = isSubcommand(first) ? first : undefined;
  const isUnknown = subcommand === undefined && first !== "" && !first.startsWith("-");
  const line: CommandLine = { subcommand, flags: new Map(), args: [], isUnknown };
  if (isUnknown) {
    const names = Object.keys(subcommands);
    problems.push(
      `${JSON.stringify(first.slice(0, 60))} is not a command${didYouMean(first, names) || ` (${names.join(", ")})`}; see --help`,
    );
    return line;
  }
  const { switches, values } = knownFlags(subcommand);
  const options: Record<string, { type: "string" | "boolean"; short?: string }> = {};
  for (const name of switches) options[name] = { type: "boolean" };
  for (const name of values) options[name] = { type: "string" };
  for (const [name, short] of Object.entries(commonSwitches)) {
    options[name] = { type: "boolean", short };
  }

  const args = subcommand === undefined ? all : all.slice(1);
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true });
  const takesArguments = subcommand !== undefined && "args" in subcommands[subcommand];
  let last = "";
  for (const token of tokens) {
    if (token.kind === "positional") {
      // The value after a mistyped flag or a token may be a secret.
      if (last === "unknown") continue;
      if (takesArguments) line.args.push(token.value);
      else problems.push(`${shown(token.value, last)} is not a flag; see --help`);
    } else if (token.kind === "option") {
      const { name, rawName, value } = token;
      last = name;
      if (switches.has(name)) {
        if (value === undefined) line.flags.set(name, "");
        else problems.push(`${rawName} takes no value`);
      } else if (!values.has(name)) {
        last = "unknown";
        const near = rawName.startsWith("--")
          ? didYouMean(name, [...switches, ...values], "--")
          : "";
        problems.push(`${rawName} is unknown${near}; see --help`);
      } else if (value === undefined || (!token.inlineValue && value.startsWith("--"))) {
        problems.push(`${rawName} needs a value`);
      } else line.flags.set(name, value.trim());
    }
  }
  // Short forms of frequent choices.
  const short = line.flags.has("slim") ? "slim" : line.flags.get("tools");
  if (short !== undefined) line.flags.set(flagOf(settings.tools.env), short);
  const pages = line.flags.get("pages");
  if (pages !== undefined) line.flags.set(flagOf(settings.pagesOrigins.env), pages);
  return line;
}

function knownFlags(subcommand: SubcommandName | undefined) {
  const switches = new Set<string>(Object.keys(commonSwitches));
  const values = new Set(Object.values(settings).map(({ env }) => flagOf(env)));
  if (subcommand === undefined) {
    for (const name of serveSwitches) switches.add(name);
    for (const name of serveValues) values.add(name);
  } else {
    for (const [name, { value }] of Object.entries(subcommands[subcommand].flags)) {
      (value === undefined ? switches : values).add(name);
    }
  }
  return { switches, values };
}

function shown(value: string, after: string): string {
  const what = isSecret(after) ? "An argument" : JSON.stringify(value.slice(0, 60));
  return after === "" ? what : `${what} after --${after}`;
}
