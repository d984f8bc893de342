import type { AboutComputer } from "@ccbridge/protocol";
import {
  type ComputerView,
  type JobSummary,
  type ProviderOffer,
  type ProviderPort,
  selectorOf,
} from "@ccbridge/registry";
import { z } from "zod";
import { inline, quoted } from "../../../format/set-apart.js";
import { askAbout, playersPrograms } from "../about.js";

export const ComputerSchema = z.object({
  computerId: z.int().nonnegative().describe("The computer's id in its world."),
  label: z.string().nullable().describe("The name the player gave it, or null."),
  world: z.string().nullable().describe("The world's name, if the player set one."),
  selector: z.string().describe("A computerId that identifies only this computer."),
  kind: z.enum(["computer", "turtle", "pocket", "command"]),
  advanced: z.boolean().nullable(),
  agent: z.object({ name: z.string(), version: z.string() }).nullable(),
  host: z.string().nullable().describe("The version of ComputerCraft and Minecraft."),
  allow: z
    .string()
    .nullable()
    .describe("What its player allows, if not everything: look or files."),
  pausedSince: z.string().optional().describe("Since when no time passes in its world."),
  linkedSince: z.string(),
  lastSeen: z.string(),
  state: z.enum(["live", "unresponsive"]),
  runningRequests: z.int(),
  attached: z
    .array(z.string())
    .nullable()
    .describe("What is attached, by kind and number; null if it is not known."),
  programs: z
    .array(z.string())
    .nullable()
    .describe("The player's own programs; null if they are not known."),
  runs: z.array(z.string()).describe("This bridge's jobs and the player's tabs."),
  fuel: z
    .union([z.number(), z.literal("unlimited")])
    .optional()
    .describe("Only for turtles."),
  tools: z.array(z.string()).describe("The tools it offers, under its own names."),
  brokenTools: z.int().describe("Files of tools that could not be loaded."),
});

export async function describeComputers(
  providers: ProviderPort,
  wanted: readonly ComputerView[],
  linked: readonly ComputerView[],
): Promise<DescribedComputer[]> {
  const offers = new Map((await providers.offered.list()).map((offer) => [offer.key, offer]));
  const jobs = (await providers.jobs.list()).filter(({ ended }) => !ended);
  return Promise.all(
    wanted.map(async (view) =>
      describeComputer(view, linked, {
        offer: offers.get(view.key),
        about: await askAbout(providers, view),
        jobs: jobs.filter(({ key }) => key === view.key),
      }),
    ),
  );
}

export type DescribedComputer = z.infer<typeof ComputerSchema>;

interface ComputerFacts {
  readonly offer: ProviderOffer | undefined;
  /** Undefined for an old agent, or without an answer in time. */
  readonly about: AboutComputer | undefined;
  readonly jobs: readonly JobSummary[];
}

function describeComputer(
  view: ComputerView,
  linked: readonly ComputerView[],
  { offer, about, jobs }: ComputerFacts,
): DescribedComputer {
  const { computerId, label, world, computerKind, advanced, agent, host, allow } = view.provider;
  const { pausedSince } = view;
  return {
    computerId,
    label,
    selector: selectorOf(view.provider, linked),
    world,
    kind: computerKind,
    advanced,
    agent,
    host,
    allow,
    ...(pausedSince !== undefined && { pausedSince: new Date(pausedSince).toISOString() }),
    linkedSince: new Date(view.linkedAt).toISOString(),
    lastSeen: new Date(view.lastSeenAt).toISOString(),
    state: view.state,
    runningRequests: view.runningRequests,
    attached: about?.attached ? shortened(about.attached.map(kindText), about.kinds) : null,
    programs: about?.programs
      ? shortened(
          about.programs.map((name) => inline(name, NAME_LENGTH)),
          about.programCount,
        )
      : null,
    runs: [...shortened(jobs.map(jobText), jobs.length), ...playersPrograms(about)],
    ...(about?.fuel === undefined ? {} : { fuel: about.fuel }),
    tools: offer?.tools.slice(0, 32).map(({ name }) => inline(name, NAME_LENGTH)) ?? [],
    brokenTools: offer?.broken.length ?? 0,
  };
}

const MAX_NAMED = 6;
const NAME_LENGTH = 120;

/** In the agent's format: `29x12 at scale 1, colour`. */
const monitorSize = /^\d+x\d+(?: at scale [\d.]+)?(?:, (?:no )?colour)?$/;

function shortened(names: readonly string[], count = names.length): string[] {
  const shown = names.slice(0, MAX_NAMED);
  return count > shown.length ? [...shown, `${count - shown.length} more`] : shown;
}

function kindText({
  kind,
  count,
  name,
  size,
}: NonNullable<AboutComputer["attached"]>[number]): string {
  const short = inline(kind.replace(/^minecraft:/, ""), NAME_LENGTH);
  if (count > 1) return `${short} (${count})`;
  const own = name === undefined ? "" : inline(name, NAME_LENGTH);
  const called = own === "" ? short : `${short} ${own}`;
  // On a wired network the name contains the kind.
  const shown = name?.startsWith(`${kind}_`) === true ? own : called;
  return size === undefined ? shown : `${shown} (${monitorSize.test(size) ? size : quoted(size)})`;
}

function jobText({ id, method, summary }: JobSummary): string {
  const what = summary ?? method;
  return what === "" ? `job ${id}` : `${inline(what, 40)} (job ${id})`;
}
