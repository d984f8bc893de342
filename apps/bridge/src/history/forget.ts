import type { Forgotten } from "@ccbridge/store";
import type { Audit } from "../calls/audit/audit.js";
import type { OpenedHistory } from "./open-history.js";

/** Whose history is deleted: the key of a provider, or the name of a client. */
export interface Forgettable {
  readonly key?: string | undefined;
  readonly client?: string | undefined;
}

/** Deletes it from the file, and the calls from memory too. The audit file is not touched. */
export async function forget(
  { store }: Pick<OpenedHistory, "store">,
  { trail }: Audit,
  { key, client }: Forgettable,
): Promise<Forgotten> {
  trail.forget((record) => record.client === client || record.keys.some((each) => each === key));
  const what = {
    ...(key === undefined ? {} : { key }),
    ...(client === undefined ? {} : { client }),
  };
  return (await store?.forget(what)) ?? { calls: 0, changes: 0, events: 0, jobs: 0, links: 0 };
}
