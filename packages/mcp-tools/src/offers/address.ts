import { fileHash } from "@ccbridge/protocol";
import type { ProviderOffer } from "@ccbridge/registry";
import { ToolError } from "../core/errors.js";
import type { Kinds, SelectorArguments } from "../core/kind.js";
import { utf8 } from "../format/bytes.js";
import { quoted } from "../format/set-apart.js";
import type { FoundOffer, FoundTool } from "./call.js";
import type { InputSchema } from "./input-schema.js";
import type { ListedSchema } from "./schema/list.js";

// Chooses the provider when several offer a tool with the same name.

/** How the providers of these offers are selected: they are of one kind. */
function selectorOf(kinds: Kinds, [first]: readonly ProviderOffer[]): SelectorArguments {
  const kind = first?.provider.kind;
  return kinds.get(kind)?.selectorArguments ?? { name: kind ?? "provider" };
}

/** Made from what a provider keeps across reboots: its key, and an id that people know. */
export function tagOf(kinds: Kinds, offer: ProviderOffer): string {
  const hash = fileHash(utf8(offer.key)).slice(5, 11);
  const id = selectorOf(kinds, [offer]).idOf?.(offer.provider);
  return id === undefined ? hash : `${id}_${hash}`;
}

/** The name of the argument that chooses the provider; never one that the tool has itself. */
export function whichOf(
  kinds: Kinds,
  offers: readonly ProviderOffer[],
  { full, listed }: Pick<InputSchema, "full" | "listed">,
): string {
  const names = [selectorOf(kinds, offers).name, "provider", "offeredBy"];
  const isTaken = (name: string) =>
    Object.hasOwn(listed.properties, name) || Object.hasOwn(Object(full.properties), name);
  return names.find((name) => !isTaken(name)) ?? "_which";
}

export function chooseOffer(kinds: Kinds, found: FoundTool, args: Record<string, unknown>) {
  const { which, offers, shown } = found;
  const [only] = offers;
  if (which === undefined) {
    if (only === undefined) throw new Error(`no provider offers ${shown}`);
    return { offer: only, rest: args };
  }
  const { [which]: wanted, ...rest } = args;
  if (wanted === undefined && only !== undefined && isOnlyChoice(kinds, offers)) {
    return { offer: only, rest };
  }
  if (typeof wanted !== "string" && typeof wanted !== "number") {
    throw new ToolError(
      `${shown} is or was offered by more than one provider, so ${which} must choose one: ${choices(kinds, offers)}.`,
      `Nothing was done. Call ${shown} again with ${which}.`,
    );
  }
  return { offer: selectOffer(kinds, wanted, offers), rest };
}

/** Whether a call need not choose. */
export function isOnlyChoice(kinds: Kinds, offers: readonly ProviderOffer[]): boolean {
  return offers.length === 1 && selectorOf(kinds, offers).choosesOnly === true;
}

function selectOffer(
  kinds: Kinds,
  wanted: string | number,
  offers: readonly FoundOffer[],
): FoundOffer {
  const selector = selectorOf(kinds, offers);
  const key =
    selector.select?.(wanted, providersOf(offers)).key ??
    offers.find((offer) => tagOf(kinds, offer) === String(wanted))?.key;
  const offer = offers.find((each) => each.key === key);
  if (offer !== undefined) return offer;
  throw new ToolError(
    `${quoted(String(wanted), 64)} does not offer it. It is offered by ${choices(kinds, offers)}.`,
    "Nothing was done. Call again with one of these.",
  );
}

function providersOf(offers: readonly ProviderOffer[]) {
  return offers.map(({ provider }) => provider);
}

function choices(kinds: Kinds, offers: readonly ProviderOffer[]): string {
  const { refOf } = selectorOf(kinds, offers);
  return offers
    .slice(0, 10)
    .map((offer) => {
      const ref = refOf?.(offer.provider, providersOf(offers)) ?? tagOf(kinds, offer);
      return `${quoted(ref)} (${offer.name})`;
    })
    .join(", ");
}

export function withWhich(
  kinds: Kinds,
  schema: ListedSchema,
  which: string,
  offers: readonly ProviderOffer[],
): ListedSchema {
  const description = `Which one to call: ${choices(kinds, offers)}.`;
  return {
    ...schema,
    properties: { [which]: { type: "string", description }, ...schema.properties },
    required: [which, ...(schema.required ?? [])],
  };
}
