import { randomBytes } from "node:crypto";
import type { ResultStore } from "@ccbridge/mcp-tools";
import type { Client } from "../auth/rights/client.js";
import { limits } from "../config/limits.js";

interface KeptResult {
  readonly client: Client;
  readonly text: string;
}

/** The last long results of each client, in memory. A client reads its own only. */
export class KeptResults {
  readonly #results = new Map<string, KeptResult>();
  /** Reads what another bridge of a cluster keeps for a client. */
  elsewhere: ((client: string, id: string) => Promise<string | undefined>) | undefined;

  of(client: Client): ResultStore {
    return {
      keep: (text) => this.#keep(client, text),
      read: async (id) => {
        const kept = this.#results.get(id);
        if (kept === undefined) return this.elsewhere?.(client.name, id);
        return kept.client === client ? kept.text : undefined;
      },
    };
  }

  /** For a client of another bridge, where it has the same name. */
  ownOf(client: string, id: string): string | undefined {
    const kept = this.#results.get(id);
    return kept?.client.name === client ? kept.text : undefined;
  }

  #keep(client: Client, whole: string): string {
    const text = whole.slice(0, limits.keptResultLength);
    const id = randomBytes(6).toString("hex");
    this.#results.set(id, { client, text });
    this.#trim(limits.keptResultLength, (kept) => kept.client === client);
    this.#trim(limits.keptResultsLength, () => true);
    return id;
  }

  /** Drops the oldest until the others have room. The newest stays: one alone always fits. */
  #trim(maxLength: number, counts: (kept: KeptResult) => boolean): void {
    let length = 0;
    for (const [id, kept] of [...this.#results].reverse()) {
      if (!counts(kept)) continue;
      length += kept.text.length;
      if (length > maxLength) this.#results.delete(id);
    }
  }
}
