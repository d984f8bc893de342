import {
  type ComputerView,
  findComputer,
  isComputer,
  isMissing,
  type JobSummary,
  LinkError,
  LinkErrorCode,
  linkedComputers,
  type Provider,
  type ProviderPort,
  selectorOf,
} from "@ccbridge/registry";
import { z } from "zod";
import { ToolError } from "../../core/errors.js";
import {
  type Complete,
  type ReadContext,
  ResourceNotFound,
  type Variables,
} from "../../core/resource.js";
import { namesTargets } from "../../core/targets.js";

export const oneComputer = z.union([z.int().nonnegative(), z.string().min(1).max(200)]);

export const computerId = namesTargets(oneComputer, async (selector, providers) => [
  await findComputer(providers, selector),
]).meta({ description: "The computer's id or label.", obvious: true });

export const target = { computerId };

export const computerShape = { computerId: z.int(), label: z.string().nullable() };

export function computerFacts({ provider }: { readonly provider: Provider }) {
  if (!isComputer(provider)) throw notComputerError(provider);
  return { computerId: provider.computerId, label: provider.label };
}

export type Computer = Pick<ComputerView, "key" | "name" | "provider">;

export function computerOf({ key, provider }: Pick<JobSummary, "key" | "provider">): Computer {
  if (!isComputer(provider)) throw notComputerError(provider);
  return { key, provider, name: provider.name };
}

function notComputerError({ name }: Provider): ToolError {
  return new ToolError(
    `${name} is not an in-game computer.`,
    "Use this with a job that runs on a computer.",
  );
}

export function findByAddress({ providers }: ReadContext, ref: string): Promise<ComputerView> {
  return findComputer(providers, ref).catch(mapNotFound);
}

export async function findAddressed({ id = "" }: Variables, providers: ProviderPort) {
  return [await findComputer(providers, id)];
}

export function mapNotFound(error: unknown): never {
  const isAddress =
    isMissing(error) || (error instanceof LinkError && error.code === LinkErrorCode.ambiguous);
  throw isAddress ? new ResourceNotFound(error.message) : error;
}

export const completeComputer: Complete = async (typed, { providers }) => {
  const computers = await linkedComputers(providers);
  const start = typed.toLowerCase();
  const refs = computers.map(({ provider }) => selectorOf(provider, computers));
  const labels = computers.flatMap(({ provider }) => provider.label ?? []);
  return [...new Set([...refs, ...labels])].filter((value) =>
    value.toLowerCase().startsWith(start),
  );
};
