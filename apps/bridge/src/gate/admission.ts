import { createHash } from "node:crypto";
import type { Provider } from "@ccbridge/registry";
import type { Approvals } from "../access/approvals.js";
import type { Client } from "../access/client.js";
import { allowsProvider } from "../access/provider-rules.js";
import type { Audit } from "../audit/audit.js";
import { Asking } from "./ask.js";
import { ClientGate } from "./gate.js";
import { type Allowances, Meters } from "./meters.js";
import { Permissions } from "./permissions.js";

export interface AdmissionOptions {
  audit: Audit;
  approvals: Approvals;
  readOnly: boolean;
  /** What all clients together may ask of one computer. */
  computer: Allowances;
}

/** A session that begins. */
export interface Admitted {
  client: Client;
  sessionId: string;
  software(): string | undefined;
}

/** Makes for each session what its client may see and do. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #meters: Meters;
  readonly #asking: Asking;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#meters = new Meters(options.computer);
    this.#asking = new Asking(options.approvals, new Permissions());
  }

  gate({ client, sessionId, software }: Admitted): ClientGate {
    const { audit, readOnly } = this.#options;
    return new ClientGate({
      client,
      session: sessionName(sessionId),
      software,
      readOnly,
      audit,
      meters: this.#meters,
      asking: this.#asking,
    });
  }
}

/** Which providers a client sees; undefined when it sees all. */
export function sightOf({ rights: { computers } }: Client) {
  return computers === undefined
    ? undefined
    : (provider: Provider) => allowsProvider(computers, provider);
}

/** Tells sessions apart. Their ids are secrets, which cannot be had from it. */
export function sessionName(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 12);
}
