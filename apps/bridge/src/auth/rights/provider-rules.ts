import {
  isComputer,
  isPage,
  isServer,
  matchesGlob,
  matchesSelector,
  type Provider,
} from "@ccbridge/registry";
import { allowsBy, type RuleList, readRuleList } from "./rule-list.js";

/**
 * Which providers a client sees: `12`, `12@survival`, `label:farm-*`, `world:survival`,
 * `server:lobby`, `page:https://example.org`, `*`.
 */
export type ProviderRules = RuleList;

const facts = ["label", "world", "server", "page"] as const;
type Fact = (typeof facts)[number];

export function readProviderRules(text: string): ProviderRules | string {
  return readRuleList(text, (entry) => {
    if (entry === "*" || /^\d{1,10}(@.{1,128})?$/.test(entry)) return undefined;
    const [, fact = "", pattern = ""] = /^([a-z]+):(.+)$/.exec(entry) ?? [];
    if ((facts as readonly string[]).includes(fact) && pattern.length <= 256) return undefined;
    return `names "${entry.slice(0, 64)}", which is not a computer: write an id (12 or 12@world), ${facts.map((name) => `${name}:...`).join(", ")}, or *`;
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
  if (entry === "*") return true;
  if (/^\d/.test(entry)) return matchesSelector(entry, provider);
  const colon = entry.indexOf(":");
  const value = factOf(entry.slice(0, colon) as Fact, provider);
  return typeof value === "string" && matchesGlob(entry.slice(colon + 1), value);
}

function factOf(fact: Fact, provider: Provider): string | null | undefined {
  switch (fact) {
    case "label":
      return isComputer(provider) ? provider.label : undefined;
    case "world":
      return isComputer(provider) ? provider.world : undefined;
    case "server":
      return isServer(provider) ? provider.serverName : undefined;
    case "page":
      return isPage(provider) ? provider.site : undefined;
  }
}
