import {
  fold,
  nearestName,
  requestCapabilities,
  type ToolFacts,
  toolGroupNames,
  toolGroups,
} from "@ccbridge/mcp-tools";
import { matchesGlob } from "@ccbridge/registry";
import { allowsBy, kindIn, type RuleList, readRuleList } from "./rule-list.js";

/** Which tools a client may use: groups, names of tools, `kind:` with a kind, and `offered:` with a pattern. */
export type ToolRules = RuleList;

const OFFERED = "offered:";

const groups: ReadonlyMap<string, string> = new Map([
  ...toolGroupNames.flatMap((group) =>
    toolGroups[group].map(({ name }) => [name, group] as [string, string]),
  ),
  // Needed to use offered tools of pages.
  [requestCapabilities.name, "offered"],
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
  return rules === undefined || allowsBy(rules, (entry, denies) => fits(entry, denies, tool));
}

function fits(entry: string, denies: boolean, { name, isOffered, kind }: ToolFacts): boolean {
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
