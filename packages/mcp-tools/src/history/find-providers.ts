import type { History, Provider } from "@ccbridge/registry";
import type { ToolContext } from "../core/define.js";
import { ToolError } from "../core/errors.js";
import { inline } from "../format/set-apart.js";

const MAX_NAMED = 20;

/** The providers that a caller means, by id or by a part of the name; also those that are gone. */
export async function findProviders(
  wanted: string | number | undefined,
  history: History,
  { settings: { kinds } }: Pick<ToolContext, "settings">,
): Promise<readonly Provider[] | undefined> {
  if (wanted === undefined) return undefined;
  const known = await history.providers();
  const ref = String(wanted).toLowerCase();
  const byId = known.filter(
    (provider) => kinds.get(provider.kind)?.selectorArguments.idOf?.(provider) === ref,
  );
  const found =
    byId.length > 0 ? byId : known.filter(({ name }) => name.toLowerCase().includes(ref));
  if (found.length > 0) return found;
  throw new ToolError(
    `No provider with a history is called ${inline(String(wanted))}.`,
    known.length === 0 ? "There are none yet." : `Call again with one of these: ${namesOf(known)}.`,
  );
}

export function namesOf(providers: readonly { readonly name: string }[]): string {
  const names = providers.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = providers.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
