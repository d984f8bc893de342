import {
  type ComputerSelector,
  type ComputerView,
  findComputer,
  linkedComputers,
  matchesGlob,
  matchesSelector,
  type ProviderPort,
} from "@ccbridge/registry";
import { z } from "zod";
import { ToolError } from "../../core/errors.js";
import { namesTargets } from "../../core/targets.js";
import { quoted } from "../../format/set-apart.js";
import { oneComputer } from "./computer.js";

const MAX_COMPUTERS = 64;

export const targets = {
  computerId: namesTargets(
    z.union([...oneComputer.options, z.array(oneComputer).min(1).max(MAX_COMPUTERS)]),
    async (wanted, providers) => {
      const found = await findSeveral(providers, wanted);
      return "several" in found ? found.several : [found];
    },
  ).describe('Id or label; or several: a list, "all", "all turtles", "miner*".'),
};

export type Targets = z.infer<typeof targets.computerId>;

export type Found = ComputerView | Several;

export interface Several {
  readonly several: readonly ComputerView[];
  readonly isGroup: boolean;
}

const kinds: ReadonlyMap<string, readonly string[]> = new Map([
  ["all", ["computer", "turtle", "pocket", "command"]],
  ["all turtles", ["turtle"]],
  ["all computers", ["computer", "command"]],
  ["all pocket computers", ["pocket"]],
  ["all command computers", ["command"]],
]);

/** Whether exactly one computer is meant. */
export function isOne(wanted: Targets): boolean {
  return !Array.isArray(wanted) && groupOf(wanted) === undefined;
}

/** Rejects when a listed computer is not linked, or a group is empty. */
export function findSeveral(providers: ProviderPort, wanted: Targets): Promise<Found> {
  if (Array.isArray(wanted)) return findAll(providers, wanted);
  const matches = groupOf(wanted);
  return matches === undefined
    ? findComputer(providers, wanted)
    : findGroup(providers, wanted, matches);
}

async function findAll(
  providers: ProviderPort,
  wanted: readonly ComputerSelector[],
): Promise<Several> {
  const found = await Promise.all(wanted.map((selector) => findComputer(providers, selector)));
  const byKey = new Map(found.map((view) => [view.key, view]));
  return { several: [...byKey.values()], isGroup: false };
}

async function findGroup(
  providers: ProviderPort,
  wanted: ComputerSelector,
  matches: (view: ComputerView) => boolean,
): Promise<Found> {
  const linked = await linkedComputers(providers);
  // A label that equals a group word selects that computer.
  const isName = linked.some(({ provider }) => matchesSelector(wanted, provider));
  if (isName) return findComputer(providers, wanted);
  const several = linked.filter(matches);
  if (several.length === 0) {
    throw new ToolError(
      `No linked computer matches ${quoted(String(wanted), 64)}.`,
      "Nothing was done. Call list-computers to see which computers are linked.",
    );
  }
  if (several.length > MAX_COMPUTERS) {
    throw new ToolError(
      `${quoted(String(wanted), 64)} matches ${several.length} computers, but one call reaches at most ${MAX_COMPUTERS}.`,
      "Nothing was done. Name fewer: a list of ids, or a label with *.",
    );
  }
  return { several, isGroup: true };
}

function groupOf(wanted: ComputerSelector): ((view: ComputerView) => boolean) | undefined {
  if (typeof wanted === "number") return undefined;
  const word = wanted;
  const wantedKinds = kinds.get(word.trim().toLowerCase());
  if (wantedKinds !== undefined) {
    return ({ provider }) => wantedKinds.includes(provider.computerKind);
  }
  if (!word.includes("*")) return undefined;
  return ({ provider }) => provider.label !== null && matchesGlob(word, provider.label);
}
