import { builtInKinds } from "@ccbridge/mcp-tools";
import { isServer, matchesGlob, matchesSelector, type Provider } from "@ccbridge/registry";
import { allowsBy, kindIn, type RuleList, readRuleList } from "./rule-list.js";

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
      fits(entry, provider) || (denies && through !== undefined && fits(entry, through)),
  );
}

function fits(entry: string, provider: Provider): boolean {
  if (entry === "*" || kindIn(entry) === provider.kind) return true;
  if (/^\d/.test(entry)) return matchesSelector(entry, provider);
  const colon = entry.indexOf(":");
  const value = facts.get(entry.slice(0, colon))?.(provider);
  return typeof value === "string" && matchesGlob(entry.slice(colon + 1), value);
}
