import { isComputer, type Provider } from "@ccbridge/registry";
import { z } from "zod";

/** What every answer about a job says about its provider. */
export const providerShape = {
  computerId: z.int().optional(),
  label: z.string().nullable().optional(),
  provider: z.string().optional().describe("What it runs on, if not a computer."),
};

export function providerFacts(provider: Provider) {
  return isComputer(provider)
    ? { computerId: provider.computerId, label: provider.label }
    : { provider: provider.name };
}
