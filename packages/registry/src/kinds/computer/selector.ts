import { LinkError, LinkErrorCode } from "../../errors.js";
import type { Provider } from "../../provider.js";
import { inline, labelText, printable, quoted } from "../../text.js";
import { type ComputerProvider, computerName, isComputer } from "./provider.js";

/**
 * Which computer a caller wants, as people say it: its id (`12` or `"12"`), its id in one of several worlds
 * (`"12@survival"`, or with the instance instead of the world), or its label. Digits always mean an id, so
 * a label such as `7` can never stand in for computer 7. `"12@"` is the one that has neither world nor
 * instance.
 */
export type ComputerSelector = number | string;

const MAX_NAMED = 20;
const MAX_SHOWN_LENGTH = 64;

export function plainId(selector: ComputerSelector | undefined): number | undefined {
  return /^\d+$/.test(String(selector)) ? Number(selector) : undefined;
}

interface Candidate {
  readonly provider: ComputerProvider;
}

export function matchesSelector(
  selector: ComputerSelector | undefined,
  provider: Provider,
): provider is ComputerProvider {
  if (!isComputer(provider)) return false;
  if (selector === undefined) return true;
  const [, id, place] = /^(\d+)(?:@(.*))?$/s.exec(String(selector)) ?? [];
  if (id === undefined) return provider.label === printable(String(selector));
  if (Number(id) !== provider.computerId) return false;
  if (place === undefined) return true;
  const { world, instance } = provider;
  if (place === "") return !world && !instance;
  const wanted = printable(place);
  return wanted === world || wanted === instance;
}

/** Under which address, of {@link computerAddresses}, changes of the computers come that a selector fits. */
export function computerAddress(selector: ComputerSelector): string {
  const [, id, place] = /^(\d+)(?:@(.*))?$/s.exec(String(selector)) ?? [];
  if (id === undefined) return `computer label ${printable(String(selector))}`;
  return `computer ${Number(id)}${place === undefined ? "" : `@${printable(place)}`}`;
}

export function computerAddresses(provider: ComputerProvider): string[] {
  const { computerId, label, world, instance } = provider;
  const places = world || instance ? [world, instance].filter(Boolean) : [""];
  return [
    `computer ${computerId}`,
    ...places.map((place) => `computer ${computerId}@${place}`),
    ...(label === null ? [] : [`computer label ${label}`]),
  ];
}

export function selectorOf(provider: ComputerProvider, among: readonly Candidate[]): string {
  const { computerId, instance, world } = provider;
  const isAlone = among.every(
    (other) => other.provider.computerId !== computerId || other.provider.key === provider.key,
  );
  return isAlone ? String(computerId) : `${computerId}@${instance || world || ""}`;
}

/**
 * The one computer that a selector names; without a selector the only one. Throws a {@link LinkError} that names the
 * candidates otherwise.
 */
export function selectComputer<T extends Candidate>(
  selector: ComputerSelector | undefined,
  linked: Iterable<T>,
): T {
  const matches: T[] = [];
  for (const candidate of linked) {
    if (matchesSelector(selector, candidate.provider)) matches.push(candidate);
  }
  const [first, second] = matches;
  if (first === undefined) throw notLinkedError(selector, [...linked]);
  if (second !== undefined) throw ambiguousError(selector, matches, [...linked]);
  return first;
}

function notLinkedError(
  selector: ComputerSelector | undefined,
  linked: readonly Candidate[],
): LinkError {
  const names = linked.map(({ provider }) => computerName(provider));
  const others =
    names.length === 0 ? "No computers are linked." : `Linked computers: ${firstOf(names)}.`;
  const candidates = linked.map(({ provider }) => provider);
  if (selector === undefined) return new LinkError(LinkErrorCode.notLinked, others, { candidates });
  const isId = /^\d+(@|$)/.test(String(selector));
  const what = isId
    ? `Computer ${inline(String(selector), MAX_SHOWN_LENGTH)} is not linked.`
    : `No linked computer has the label ${shown(selector)}.`;
  return new LinkError(LinkErrorCode.notLinked, `${what} ${others}`, { candidates });
}

function ambiguousError(
  selector: ComputerSelector | undefined,
  matches: readonly Candidate[],
  linked: readonly Candidate[],
): LinkError {
  const names = matches.map(({ provider }) => {
    const world = provider.world === null ? "no world name" : `world ${quoted(provider.world)}`;
    return `${quoted(selectorOf(provider, linked))} (Label: ${labelText(provider.label)}; ${world})`;
  });
  const candidates = linked.map(({ provider }) => provider);
  if (selector === undefined) {
    const which = `${matches.length} computers are linked: ${firstOf(names)}.`;
    return new LinkError(LinkErrorCode.ambiguous, which, { candidates });
  }
  return new LinkError(
    LinkErrorCode.ambiguous,
    `${shown(selector)} matches ${matches.length} computers: ${firstOf(names)}.`,
    { candidates },
  );
}

function shown(selector: ComputerSelector): string {
  return quoted(String(selector), MAX_SHOWN_LENGTH);
}

function firstOf(names: readonly string[]): string {
  return names.slice(0, MAX_NAMED).join(", ") + (names.length > MAX_NAMED ? ", ..." : "");
}
