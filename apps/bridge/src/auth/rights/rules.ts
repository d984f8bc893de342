import {
  builtInKinds,
  fold,
  nearestName,
  pageTools,
  type ToolFacts,
  toolGroupNames,
  toolGroups,
} from "@ccbridge/mcp-tools";
import { commandTools, isToolName, type ToolName, toolNames } from "@ccbridge/protocol/minecraft";
import { isServer, matchesGlob, matchesSelector, type Provider } from "@ccbridge/registry";

interface RuleList {
  /** Undefined: everything that is not denied. */
  readonly only: readonly string[] | undefined;
  readonly never: readonly string[];
}

const MAX_ENTRIES = 256;

function readRuleList(
  text: string,
  problemOf: (entry: string) => string | undefined,
): RuleList | string {
  const entries = text.split(",").map((entry) => entry.trim());
  if (entries.length > MAX_ENTRIES) return `holds more than ${MAX_ENTRIES} entries`;
  const only: string[] = [];
  const never: string[] = [];
  for (const entry of entries) {
    const denied = entry.startsWith("-");
    const name = denied ? entry.slice(1) : entry;
    if (name === "") return "holds an empty entry";
    const problem = problemOf(name);
    if (problem !== undefined) return problem;
    (denied ? never : only).push(name);
  }
  return { only: only.length === 0 ? undefined : only, never };
}

function allowsBy(
  { only, never }: RuleList,
  fits: (entry: string, denies: boolean) => boolean,
): boolean {
  if (never.some((entry) => fits(entry, true))) return false;
  return only === undefined || only.some((entry) => fits(entry, false));
}

/** The kind that an entry such as `kind:lamp` names: all of its tools, or all of its providers. */
function kindIn(entry: string): string | undefined {
  return /^kind:([\w-]{1,32})$/.exec(entry)?.[1];
}

/** Which tools a client may use: groups, names of tools, `kind:` with a kind, and `offered:` with a pattern. */
export type ToolRules = RuleList;

const OFFERED = "offered:";

const groups: ReadonlyMap<string, string> = new Map([
  ...toolGroupNames.flatMap((group) =>
    toolGroups[group].map(({ name }) => [name, group] as [string, string]),
  ),
  // Needed to use offered tools of pages.
  ...pageTools.map(({ name }) => [name, "offered"] as [string, string]),
]);

/** Tools that reach offered ones, for clients that never refresh the tool list. */
const offeredToolAccess = new Set(toolGroups.offered.map(({ name }) => name as string));

export function readToolRules(text: string): ToolRules | string {
  return readRuleList(text, (entry) => {
    const isKnown =
      entry === "all" ||
      groups.has(entry) ||
      kindIn(entry) !== undefined ||
      (toolGroupNames as readonly string[]).includes(entry) ||
      (entry.startsWith(OFFERED) && entry.length > OFFERED.length);
    if (isKnown) return undefined;
    const near = nearestName(entry, [...groups.keys(), ...toolGroupNames]);
    const advice = near === undefined ? "" : `; did you mean ${near}?`;
    return `names "${entry.slice(0, 64)}", which is neither a tool nor a group of tools${advice}`;
  });
}

export function allowsTool(rules: ToolRules | undefined, tool: ToolFacts): boolean {
  return rules === undefined || allowsBy(rules, (entry, denies) => fitsTool(entry, denies, tool));
}

function fitsTool(entry: string, denies: boolean, { name, isOffered, kind }: ToolFacts): boolean {
  if (entry === "all" || (kind !== undefined && kindIn(entry) === kind)) return true;
  if (isOffered) {
    return (
      entry === "offered" ||
      (entry.startsWith(OFFERED) && matchesGlob(fold(entry.slice(OFFERED.length)), fold(name)))
    );
  }
  // A right to some offered tools includes the tools that reach them; those show no others.
  if (entry.startsWith(OFFERED)) return !denies && offeredToolAccess.has(name);
  return entry === name || entry === groups.get(name);
}

/**
 * Which providers a client sees: `12`, `12@survival`, `label:farm-*`, `world:survival`, `server:lobby`,
 * `page:https://example.org`, `kind:page`, `*`.
 */
export type ProviderRules = RuleList;

const facts = new Map(builtInKinds.flatMap(({ ruleFacts = {} }) => Object.entries(ruleFacts)));

export function readProviderRules(text: string): ProviderRules | string {
  return readRuleList(text, (entry) => {
    if (entry === "*" || kindIn(entry) !== undefined || /^\d{1,10}(@.{1,128})?$/.test(entry))
      return undefined;
    const [, fact = "", pattern = ""] = /^([a-z]+):(.+)$/.exec(entry) ?? [];
    if (facts.has(fact) && pattern.length <= 256) return undefined;
    return `names "${entry.slice(0, 64)}", which is not a computer: write an id (12 or 12@world), ${[...facts.keys()].map((name) => `${name}:...`).join(", ")}, or *`;
  });
}

export function allowsProvider(rules: ProviderRules | undefined, provider: Provider): boolean {
  if (rules === undefined) return true;
  // Hiding a command computer also hides the server that it provides.
  const through = isServer(provider) ? provider.through : undefined;
  return allowsBy(
    rules,
    (entry, denies) =>
      fitsProvider(entry, provider) ||
      (denies && through !== undefined && fitsProvider(entry, through)),
  );
}

function fitsProvider(entry: string, provider: Provider): boolean {
  if (entry === "*" || kindIn(entry) === provider.kind) return true;
  if (/^\d/.test(entry)) return matchesSelector(entry, provider);
  const colon = entry.indexOf(":");
  const value = facts.get(entry.slice(0, colon))?.(provider);
  return typeof value === "string" && matchesGlob(entry.slice(colon + 1), value);
}

/** Tools of Minecraft servers that a client may use although MINECRAFT_TOOLS excludes them. */
export type GrantedTools = readonly ToolName[];

/** Commands are allowed by patterns only, for all clients alike. */
const grantable = toolNames.filter((name) => !commandTools.includes(name));

export function readGrantedTools(text: string): GrantedTools | string {
  const granted: ToolName[] = [];
  for (const entry of text.split(",").map((name) => name.trim())) {
    if (entry === "") return "holds an empty entry";
    if (!isToolName(entry)) {
      const near = nearestName(entry, grantable);
      const advice = near === undefined ? `write ${grantable.join(", ")}` : `did you mean ${near}?`;
      return `names "${entry.slice(0, 64)}", which is not a tool of Minecraft servers; ${advice}`;
    }
    if (commandTools.includes(entry)) {
      return `cannot hold ${entry}: MINECRAFT_COMMANDS says which commands may run`;
    }
    granted.push(entry);
  }
  return granted;
}
