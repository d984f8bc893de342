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
import { computerId } from "../../core/computer-id.js";
import { ToolError } from "../../core/errors.js";
import {
  type Complete,
  type LookContext,
  ResourceNotFound,
  type Variables,
} from "../../resources/define.js";

export const target = { computerId };

export const computerShape = { computerId: z.int(), label: z.string().nullable() };

export function computerFacts({ identity }: { readonly identity: Provider }) {
  if (!isComputer(identity)) throw notComputerError(identity);
  return { computerId: identity.computerId, label: identity.label };
}

export type Computer = Pick<ComputerView, "key" | "name" | "identity">;

export function computerOf({ key, identity }: JobSummary): Computer {
  if (!isComputer(identity)) throw notComputerError(identity);
  return { key, identity, name: identity.name };
}

function notComputerError({ name }: Provider): ToolError {
  return new ToolError(
    `${name} is not an in-game computer.`,
    "Use this with a job that runs on a computer.",
  );
}

export function findByAddress({ providers }: LookContext, ref: string): Promise<ComputerView> {
  return findComputer(providers, ref).catch(mapNotFound);
}

export async function findAddressed({ id = "" }: Variables, providers: ProviderPort) {
  return [await findComputer(providers, id)];
}

/** Maps "not linked" and "ambiguous" to the error that resources use. */
export function mapNotFound(error: unknown): never {
  const isAddress =
    isMissing(error) || (error instanceof LinkError && error.code === LinkErrorCode.ambiguous);
  throw isAddress ? new ResourceNotFound(error.message) : error;
}

export const completeComputer: Complete = async (typed, { providers }) => {
  const computers = await linkedComputers(providers);
  const start = typed.toLowerCase();
  const refs = computers.map(({ identity }) => selectorOf(identity, computers));
  const labels = computers.flatMap(({ identity }) => identity.label ?? []);
  return [...new Set([...refs, ...labels])].filter((value) =>
    value.toLowerCase().startsWith(start),
  );
};
