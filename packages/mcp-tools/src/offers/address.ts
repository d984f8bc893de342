import { fileHash } from "@ccbridge/protocol";
import { isComputer, type ProviderOffer, selectComputer, selectorOf } from "@ccbridge/registry";
import { ToolError } from "../core/errors.js";
import { utf8 } from "../format/bytes.js";
import { quoted } from "../format/set-apart.js";
import type { Found, FoundOffer } from "./found.js";
import type { InputSchema } from "./input-schema.js";

// Chooses the provider when several offer a tool with the same name.

/** Made from what a provider keeps across reboots: its key, and for a computer its id, which people know. */
export function tagOf({ key, identity }: ProviderOffer): string {
  const hash = fileHash(utf8(key)).slice(5, 11);
  return isComputer(identity) ? `${identity.computerId}_${hash}` : hash;
}

/** The name of the argument that chooses the provider; never one that the tool has itself. */
export function whichOf(offers: readonly ProviderOffer[], { properties }: InputSchema): string {
  const usual = computersOf(offers).length > 0 ? "computerId" : "page";
  return (
    [usual, "provider", "offeredBy"].find((name) => !Object.hasOwn(properties, name)) ?? "_which"
  );
}

/** The provider that a call is for, and the tool's own arguments. */
export function choose(found: Found, args: Record<string, unknown>) {
  const { which, offers, shown } = found;
  const [only] = offers;
  if (which === undefined) {
    if (only === undefined) throw new Error(`${shown} is not offered by anybody`);
    return { offer: only, rest: args };
  }
  const { [which]: wanted, ...rest } = args;
  if (typeof wanted !== "string" && typeof wanted !== "number") {
    throw new ToolError(
      `${shown} is or was offered by more than one provider, so ${which} must choose one: ${choices(offers)}.`,
      `Nothing was done. Call ${shown} again with ${which}.`,
    );
  }
  return { offer: selectOffer(wanted, offers), rest };
}

function selectOffer(wanted: string | number, offers: readonly FoundOffer[]): FoundOffer {
  const computers = computersOf(offers);
  const key =
    computers.length > 0
      ? selectComputer(wanted, computers).key
      : offers.find((offer) => tagOf(offer) === String(wanted))?.key;
  const offer = offers.find((each) => each.key === key);
  if (offer !== undefined) return offer;
  throw new ToolError(
    `${quoted(String(wanted), 64)} does not offer it. It is offered by ${choices(offers)}.`,
    "Nothing was done. Call again with one of these.",
  );
}

function computersOf(offers: readonly ProviderOffer[]) {
  return offers.flatMap(({ key, identity }) => (isComputer(identity) ? [{ key, identity }] : []));
}

function choices(offers: readonly ProviderOffer[]): string {
  const computers = computersOf(offers);
  return offers
    .slice(0, 10)
    .map((offer) => {
      const { identity, name } = offer;
      const ref = isComputer(identity) ? selectorOf(identity, computers) : tagOf(offer);
      return `${quoted(ref)} (${name})`;
    })
    .join(", ");
}

/** A schema with the argument that chooses the provider. */
export function withWhich(schema: InputSchema, which: string, offers: readonly ProviderOffer[]) {
  const description = `Which one to call: ${choices(offers)}.`;
  return {
    ...schema,
    properties: { [which]: { type: "string", description }, ...schema.properties },
    required: [which, ...(schema.required ?? [])],
  };
}
