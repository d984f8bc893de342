import { type Client, type Mode, modes, type Rights } from "./client.js";
import { rateLimitForm, readRateLimit } from "./rate-limit.js";
import { readGrantedTools, readProviderRules, readToolRules } from "./rules.js";

export interface TokenLine {
  readonly token: string;
  readonly client: Client;
  /** The line without the token: lines with the same words give the same rights. */
  readonly words: string;
  /** False for a default name. */
  readonly isNamed: boolean;
}

export function isToken(value: string): boolean {
  return /^[\x21-\x2b\x2d-\x7e]+$/.test(value);
}

export const rightNames = [
  "name",
  "mode",
  "tools",
  "computers",
  "allow",
  "rate",
  "quota",
  "until",
] as const;
type Key = (typeof rightNames)[number];

export function bareTokens(tokens: readonly string[]): TokenLine[] {
  return [...new Set(tokens)].map((token, index) => ({
    token,
    client: { name: `token-${index + 1}`, rights: { mode: "all" } },
    words: "",
    isNamed: false,
  }));
}

/**
 * Parses `<token> name=alice mode=look tools=core,-exec-lua computers=12,label:farm-*
 * rate=300/min`. Returns a string that describes the problem if invalid, without any word that may
 * be part of a secret.
 */
export function readTokenLine(line: string, fallbackName: string): TokenLine | string {
  const [, token = "", words = ""] = /^(\S+)(?:\s+(.*\S))?\s*$/.exec(line) ?? [];
  if (!isToken(token)) return "the token must be printable ASCII without commas";
  const found = new Map<Key, string>();
  const word = /(?:([a-z]+)=(?:"([^"]*)"|([^\s"]*))(?=\s|$)|(\S+))\s*/gy;
  for (const [, key, quoted, plain, other] of words.matchAll(word)) {
    if (other !== undefined || !isKey(key))
      return `only ${rightNames.join("=, ")}= may follow the token`;
    if (found.has(key)) return `${key}= comes twice`;
    found.set(key, quoted ?? plain ?? "");
  }
  const rights: { -readonly [Name in keyof Rights]: Rights[Name] } = { mode: "all" };
  let name = fallbackName;
  for (const [key, value] of found) {
    const problem = readWord(key, value);
    if (problem !== undefined) return `${key}= ${problem}`;
  }
  return { token, client: { name, rights }, words, isNamed: found.has("name") };

  function readWord(key: Key, value: string): string | undefined {
    switch (key) {
      case "name":
        name = value;
        return isName(value) ? undefined : "must be 1 to 64 letters, digits and . _ @ -";
      case "mode":
        rights.mode = value as Mode;
        return isMode(value) ? undefined : `must be one of ${modes.join(", ")}`;
      case "tools":
        return keep("tools", readToolRules(value));
      case "computers":
        return keep("computers", readProviderRules(value));
      case "allow":
        return keep("allow", readGrantedTools(value));
      case "rate":
      case "quota":
        return keep(key, readRateLimit(value) ?? rateLimitForm);
      case "until":
        return keep("until", readEndDate(value) ?? endDateForm);
    }
  }

  function keep<Name extends keyof Rights>(right: Name, read: Rights[Name] | string) {
    if (typeof read === "string") return read;
    rights[right] = read;
    return undefined;
  }
}

function isName(value: string): boolean {
  return /^[\w.@-]{1,64}$/.test(value);
}

function isKey(key: string | undefined): key is Key {
  return (rightNames as readonly (string | undefined)[]).includes(key);
}

function isMode(value: string): value is Mode {
  return (modes as readonly string[]).includes(value);
}

const endDateForm = "must be a date such as 2027-01-31, which is then the last day";

/** The time at which the day after a date begins, on this machine's clock. */
export function readEndDate(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  // The 31st of a shorter month would become a day of the next one.
  if (date.getMonth() !== Number(month) - 1 || date.getDate() !== Number(day)) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(day) + 1).getTime();
}
