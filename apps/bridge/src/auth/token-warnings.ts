import { statSync } from "node:fs";
import { type Config, flagOf, type SettingName, settings } from "../config/settings.js";
import { readTokenFile } from "./rights/token-file.js";

const MIN_LENGTH = 16;
/** Random tokens of 16 characters have about twice as many of both. */
const MIN_DISTINCT = 6;
const MIN_STEPS = 8;
const COMMON =
  /tokens?|password|passwd|secret|change|please|example|default|admin|owner|minecraft|computer|craft|ccbridge|bridge|server|client|local|dashboard|your|mine|test|qwerty|asdf|letmein|welcome/g;

export function isWeakToken(token: string): boolean {
  if (token.length < MIN_LENGTH || /^(.{1,15})\1+$/.test(token)) return true;
  const rest = token
    .toLowerCase()
    .replace(COMMON, "")
    .replace(/[^a-z0-9]/g, "");
  return new Set(rest).size < MIN_DISTINCT || steps(rest) < MIN_STEPS;
}

/** Counts characters that neither repeat nor succeed the previous one, as in aaaa and 1234. */
function steps(text: string): number {
  let count = 0;
  for (let at = 1; at < text.length; at++) {
    if (Math.abs(text.charCodeAt(at) - text.charCodeAt(at - 1)) > 1) count += 1;
  }
  return count;
}

const lists = [
  ["mcpTokens", "mcpTokensFile"],
  ["linkTokens", "linkTokensFile"],
  ["pagesTokens", "pagesTokensFile"],
  ["minecraftTokens", "minecraftTokensFile"],
] as const satisfies readonly (readonly [SettingName, SettingName])[];

const READ_BY_OTHERS = 0o004;
const CHANGED_BY_OTHERS = 0o002;

/** Warns of tokens that can be guessed or read by others. No warning contains any part of a token. */
export function tokenWarnings(config: Config, platform: NodeJS.Platform): string[] {
  return lists.flatMap(([list, file]) => {
    const [variable, fileVariable] = [settings[list].env, settings[file].env];
    const path = config[file];
    const lines = path === "" ? [] : readTokenFile(path).lines;
    const inFile = new Set(lines.map(({ token }) => token));
    const found: string[] = [];
    if (config.tokenFlags?.includes(flagOf(variable))) {
      found.push(
        `--${flagOf(variable)} shows its tokens to every user of this machine: the list of processes contains flags. Set ${variable} in the environment instead, or better, ${fileVariable} to a file that only you can read.`,
      );
    }
    if (config[list].some((token) => !inFile.has(token) && isWeakToken(token))) {
      found.push(`${variable} contains a token ${advice}`);
    }
    const weak = lines.filter(({ token }) => isWeakToken(token)).map(({ client }) => client.name);
    if (weak.length > 0) {
      found.push(`${path} (${fileVariable}) contains a token (${shown(weak)}) ${advice}`);
    }
    const access = path === "" || platform === "win32" ? undefined : accessOfOthers(path);
    if (access !== undefined) {
      found.push(
        `Every user of this machine can ${access} ${path} (${fileVariable}), which contains tokens. Run: chmod o-rwx ${JSON.stringify(path)}`,
      );
    }
    return found;
  });
}

const advice =
  'that can be guessed: it is shorter than 16 characters, or made of common words, sequences or repetitions. A good one: node -p "crypto.randomUUID()"';

const SHOWN = 5;

function shown(names: readonly string[]): string {
  const rest = names.length - SHOWN;
  return [...names.slice(0, SHOWN), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

function accessOfOthers(path: string): string | undefined {
  try {
    const { mode } = statSync(path);
    const words = [
      ...(mode & READ_BY_OTHERS ? ["read"] : []),
      ...(mode & CHANGED_BY_OTHERS ? ["change"] : []),
    ];
    return words.length === 0 ? undefined : words.join(" and ");
  } catch {
    // Reading it reports the reason.
    return undefined;
  }
}
