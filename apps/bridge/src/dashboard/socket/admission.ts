import type { CloseReason } from "@ccbridge/protocol/dashboard";
import type { Clients } from "../../auth/clients.js";
import type { GuessLimiter } from "../../auth/guess-limiter.js";
import type { Client } from "../../auth/rights/client.js";
import { isOpenToNetwork } from "../../config/addresses.js";
import { TOO_MANY_GUESSES } from "../../http/errors.js";
import type { PeerLog } from "../../monitor/peer-log.js";

export interface AdmissionOptions {
  readonly clients: Clients;
  readonly guesses: GuessLimiter;
  readonly log: PeerLog;
}

interface Refusal {
  readonly code: keyof typeof CloseReason;
  readonly reason: string;
}

export type Admit = (token: string | undefined, address: string) => Client | Refusal;

/** Decides which pages may connect. Without tokens: only those on this machine. */
export function createAdmission({ clients, guesses, log }: AdmissionOptions): Admit {
  return (token, address) => {
    const isNear = !isOpenToNetwork(address.replace(/^::ffff:/, ""));
    if (!clients.required && !isNear) {
      return {
        code: "loopback",
        reason: "Without a token only this bridge's own machine may look. Set MCP_TOKENS.",
      };
    }
    if (clients.required && token !== undefined && guesses.waitMs(address, token) > 0) {
      return { code: "busy", reason: TOO_MANY_GUESSES };
    }
    const client = clients.find(token);
    if (client === undefined) {
      if (token !== undefined) {
        guesses.failed(address);
        log.warn({ address }, "MCP token refused");
      }
      return { code: "token", reason: "This bridge needs a token: one of MCP_TOKENS." };
    }
    if (token !== undefined) guesses.passed(address, token);
    return client;
  };
}
