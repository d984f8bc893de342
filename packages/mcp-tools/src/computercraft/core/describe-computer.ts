import type { ComputerView, ProviderOffer, ProviderPort } from "@ccbridge/registry";
import { z } from "zod";
import { shownName } from "../../format/text.js";

/** What is told of a linked computer. */
export const ComputerSchema = z.object({
  computerId: z.int().nonnegative().describe("The computer's id in its world."),
  label: z.string().nullable().describe("The name the player gave it, or null."),
  world: z.string().nullable().describe("The world's name, if the player set one."),
  instance: z.string().nullable().describe("Tells computers of the same id in two worlds apart."),
  kind: z.enum(["computer", "turtle", "pocket", "command"]),
  advanced: z.boolean().nullable(),
  agent: z.object({ name: z.string(), version: z.string() }).nullable(),
  host: z.string().nullable().describe("The version of ComputerCraft and Minecraft."),
  protocol: z.int(),
  methods: z.array(z.string()).describe("What it can be asked to do; empty for old agents."),
  features: z.array(z.string()),
  linkedSince: z.string(),
  lastSeen: z.string(),
  state: z.enum(["live", "unresponsive"]),
  runningRequests: z.int(),
  tools: z.array(z.string()).describe("Tools that it offers, by its own names."),
  brokenTools: z.int().describe("Files that were meant to be tools and are not."),
});

/** What computers offer, by their keys. */
export async function offersByKey({
  offered,
}: ProviderPort): Promise<ReadonlyMap<string, ProviderOffer>> {
  return new Map((await offered.list()).map((offer) => [offer.key, offer]));
}

export type DescribedComputer = z.infer<typeof ComputerSchema>;

export function describeComputer(
  view: ComputerView,
  offer: ProviderOffer | undefined,
): DescribedComputer {
  const { kind: _, key: __, name: ___, computerKind, methods, features, ...facts } = view.identity;
  return {
    ...facts,
    kind: computerKind,
    methods: methods.slice(0, 64),
    features: features.slice(0, 16),
    linkedSince: new Date(view.linkedAt).toISOString(),
    lastSeen: new Date(view.lastSeenAt).toISOString(),
    state: view.state,
    runningRequests: view.runningRequests,
    tools: offer?.tools.slice(0, 32).map(({ name }) => shownName(name)) ?? [],
    brokenTools: offer?.broken.length ?? 0,
  };
}
