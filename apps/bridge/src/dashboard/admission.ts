import type { CloseReason } from "@ccbridge/protocol/dashboard";
import type { ProviderPort } from "@ccbridge/registry";
import type { FailureGate } from "../http/failures.js";
import { TokenCheck } from "../http/tokens.js";
import { isOpenToNetwork } from "../net/addresses.js";
import type { PeerLog } from "../peer-log.js";
import type { Departures } from "./sight/departures.js";
import { Fleet } from "./sight/fleet.js";
import type { Sight } from "./sight/sight.js";
import { Watched } from "./sight/watched.js";

export interface AdmissionOptions {
  readonly tokens: readonly string[];
  readonly providers: ProviderPort;
  readonly departures: Departures;
  readonly gate: FailureGate;
  readonly log: PeerLog;
}

/** Why somebody may not look. */
interface Refusal {
  readonly code: keyof typeof CloseReason;
  readonly reason: string;
}

/** Decides on a viewer by the token of its first message. */
export type Admit = (token: string | undefined, address: string) => Sight | Refusal;

/** Decides who may look at the dashboard. Without tokens that is this machine. */
export function createAdmission(options: AdmissionOptions): Admit {
  const { providers, departures, gate, log } = options;
  const tokens = new TokenCheck(options.tokens);
  const watched = new Watched(providers, new Fleet(providers, () => departures.list()));
  return (token, address) => {
    if (!tokens.required && isOpenToNetwork(address.replace(/^::ffff:/, ""))) {
      return {
        code: "loopback",
        reason: "Without a token only this bridge's own machine may look. Set MCP_TOKENS.",
      };
    }
    if (tokens.required) {
      if (gate.waitMs(address) > 0) {
        return { code: "busy", reason: "Too many wrong tokens came from this address." };
      }
      if (!tokens.accepts(token)) {
        if (token !== undefined) {
          gate.failed(address);
          log.warn({ address }, "MCP token refused");
        }
        return { code: "token", reason: "This bridge wants a token: one of MCP_TOKENS." };
      }
    }
    const viewer = { name: null, mayAct: true };
    return { viewer, providers, watched };
  };
}
