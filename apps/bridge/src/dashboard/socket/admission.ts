import type { CloseReason } from "@ccbridge/protocol/dashboard";
import type { Client } from "../../access/client.js";
import type { Clients } from "../../access/clients.js";
import type { FailureGate } from "../../http/failures.js";
import { isOpenToNetwork } from "../../net/addresses.js";
import type { PeerLog } from "../../peer-log.js";

export interface AdmissionOptions {
  readonly clients: Clients;
  readonly gate: FailureGate;
  readonly log: PeerLog;
}

/** Why a page is not let in. */
interface Refusal {
  readonly code: keyof typeof CloseReason;
  readonly reason: string;
}

/** Decides on a page by the token of its first message. */
export type Admit = (token: string | undefined, address: string) => Client | Refusal;

/** Decides who may look at the dashboard. Without tokens that is this machine. */
export function createAdmission({ clients, gate, log }: AdmissionOptions): Admit {
  return (token, address) => {
    const isNear = !isOpenToNetwork(address.replace(/^::ffff:/, ""));
    if (!clients.required && !isNear) {
      return {
        code: "loopback",
        reason: "Without a token only this bridge's own machine may look. Set MCP_TOKENS.",
      };
    }
    if (clients.required && token !== undefined && gate.waitMs(address, token) > 0) {
      return { code: "busy", reason: "Too many wrong tokens came from this address." };
    }
    const client = clients.find(token);
    if (client === undefined) {
      if (token !== undefined) {
        gate.failed(address);
        log.warn({ address }, "MCP token refused");
      }
      return { code: "token", reason: "This bridge needs a token: one of MCP_TOKENS." };
    }
    if (token !== undefined) gate.passed(address, token);
    return client;
  };
}
