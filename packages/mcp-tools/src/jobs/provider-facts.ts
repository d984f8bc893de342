import { isComputer, type Provider } from "@ccbridge/registry";
import { z } from "zod";

export const providerShape = {
  computerId: z.int().optional(),
  label: z.string().nullable().optional(),
  provider: z.string().optional().describe("What it runs on, if not a computer."),
};

interface ProviderFacts {
  computerId?: number | undefined;
  label?: string | null | undefined;
  provider?: string | undefined;
}

export function providerFacts(provider: Provider): ProviderFacts {
  return isComputer(provider)
    ? { computerId: provider.computerId, label: provider.label }
    : { provider: provider.name };
}
