import type { Config } from "../../config/settings.js";
import { type SecretSource, Secrets } from "./secrets.js";
import { SeenSecrets } from "./seen-secrets.js";

/** The secrets that no answer, log or audit line may contain; `seen` adds those that providers send. */
export function openSecrets(
  { linkTokens, minecraftTokens, pagesTokens }: Config,
  clients: SecretSource,
): { secrets: Secrets; seen: SeenSecrets } {
  const seen = new SeenSecrets();
  const tokens = [...linkTokens, ...minecraftTokens, ...pagesTokens];
  return { secrets: new Secrets([clients, { edition: 0, tokens }, seen]), seen };
}
