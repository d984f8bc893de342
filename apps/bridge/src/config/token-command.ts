import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { isExpired } from "../auth/rights/client.js";
import { readTokenLine, rightNames } from "../auth/rights/token-line.js";
import { type ClientProgram, clients, isClient } from "./client-configs.js";
import { didYouMean } from "./nearest.js";
import type { Config } from "./settings.js";

const verbs = ["list", "add", "remove", "rotate"] as const;

export interface TokenCommand {
  action: "token";
  verb: (typeof verbs)[number];
  /** The token to remove or to rotate. */
  name: string;
  /** A new token with the rights of the flags. */
  line: string;
  client: ClientProgram;
  config: Config;
}

/** Where tokens are if MCP_TOKENS_FILE does not say. */
export function usualTokensFile(home: string): string {
  return join(home, ".ccbridge", "mcp-tokens");
}

export function newToken(): string {
  return randomBytes(24).toString("base64url");
}

/** The line of a new token, or why these rights are not valid. */
export function newTokenLine(rights: (name: string) => string | undefined) {
  const words = rightNames.flatMap((name) => {
    const value = rights(name);
    if (value === undefined) return [];
    return [/\s/.test(value) ? `${name}="${value}"` : `${name}=${value}`];
  });
  const token = newToken();
  const line = [token, ...words].join(" ");
  const read = readTokenLine(line, "new");
  if (typeof read === "string") return { problem: read };
  if (isExpired(read.client)) return { problem: "until= must be in the future" };
  return { token, line };
}

export function readTokenCommand(
  config: Config,
  flags: ReadonlyMap<string, string>,
  args: readonly string[],
  problems: string[],
): TokenCommand {
  const [typed = "", name = "", ...more] = args;
  const verb = verbs.find((known) => known === typed);
  const needsName = verb === "remove" || verb === "rotate";
  if (verb === undefined) {
    const what = typed === "" ? "token" : `token ${JSON.stringify(typed.slice(0, 60))}`;
    problems.push(
      `${what}: say list, add, remove NAME or rotate NAME${typed === "" ? "" : didYouMean(typed, verbs)}`,
    );
  } else if (needsName && (name === "" || more.length > 0)) {
    problems.push(`token ${verb} is followed by the name of one token; see token list`);
  } else if (!needsName && name !== "") {
    problems.push(`token ${verb} takes no name; flags such as --name give it`);
  }
  const client = flags.get("client") ?? "claude-code";
  if (!isClient(client)) {
    problems.push(`--client must be one of ${clients.join(", ")}${didYouMean(client, clients)}`);
  }
  const made = newTokenLine((right) => flags.get(right));
  if ("problem" in made) problems.push(`--${made.problem.replace("=", "")}`);
  return {
    ...{ action: "token", verb: verb ?? "list", name, config },
    line: "line" in made ? made.line : "",
    client: client as ClientProgram,
  };
}
