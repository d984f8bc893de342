import { createHash } from "node:crypto";
import type { Provider } from "@ccbridge/registry";
import type { Client } from "../auth/rights/client.js";
import { allowsProvider } from "../auth/rights/rules.js";

export interface Caller {
  readonly client: Client;
  readonly session: string;
  /** As reported by the client; undefined before it was. */
  software(): string | undefined;
}

/** Undefined when the client sees all providers. */
export function visibleTo({ rights: { computers } }: Client) {
  return computers === undefined
    ? undefined
    : (provider: Provider) => allowsProvider(computers, provider);
}

/** Distinguishes sessions. A hash, because session ids are secrets. */
export function sessionName(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 12);
}
