import { type AboutComputer, methods } from "@ccbridge/protocol";
import { type ComputerView, LinkError, type ProviderPort } from "@ccbridge/registry";
import { inline } from "../../format/set-apart.js";

/** It only adds one line, which is not worth a longer wait. */
const ABOUT_TIMEOUT_MS = 1_000;

export async function askAbout(
  providers: ProviderPort,
  { key, state, provider }: ComputerView,
): Promise<AboutComputer | undefined> {
  const method = "about-computer";
  if (state !== "live" || !provider.methods.includes(method)) return undefined;
  try {
    const answer = await providers.request(key, method, {}, { timeoutMs: ABOUT_TIMEOUT_MS });
    return answer.ok ? methods[method].result.safeParse(answer.result).data : undefined;
  } catch (error) {
    if (error instanceof LinkError) return undefined;
    throw error;
  }
}

const MAX_TABS = 6;
const NAME_LENGTH = 120;

export function playersPrograms(about: AboutComputer | undefined): string[] {
  const tabs = about?.tabs?.slice(0, MAX_TABS) ?? [];
  const prompt = about?.prompt === undefined ? [] : [`${inline(about.prompt)} (at the prompt)`];
  return [...tabs.map((tab) => `${inline(tab, NAME_LENGTH)} (a tab)`), ...prompt];
}
