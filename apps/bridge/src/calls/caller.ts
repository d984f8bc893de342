import { createHash } from "node:crypto";
import type { Provider } from "@ccbridge/registry";
import type { Client } from "../auth/rights/client.js";
import { allowsProvider } from "../auth/rights/provider-rules.js";

/** Who makes calls: one session of one client, through whatever entrance. */
export interface Caller {
  readonly client: Client;
  /** Tells sessions apart in the audit; not the session's id. */
  readonly session: string;
  /** What the client's program says it is, once it has said so. */
  software(): string | undefined;
}

/** Which providers a client sees; undefined when it sees all. */
export function visibleTo({ rights: { computers } }: Client) {
  return computers === undefined
    ? undefined
    : (provider: Provider) => allowsProvider(computers, provider);
}

/** Tells sessions apart. Their ids are secrets, which cannot be had from it. */
export function sessionName(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 12);
}
