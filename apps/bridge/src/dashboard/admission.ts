import type { CloseReason } from "@ccbridge/protocol/dashboard";
import type { LocalPort, Provider } from "@ccbridge/registry";
import { scopeOf } from "@ccbridge/registry";
import { type Client, isOwner } from "../access/client.js";
import type { Clients } from "../access/clients.js";
import { visibleTo } from "../calls/caller.js";
import type { FailureGate } from "../http/failures.js";
import { isOpenToNetwork } from "../net/addresses.js";
import type { PeerLog } from "../peer-log.js";
import type { Departures } from "./sight/departures.js";
import { Fleet } from "./sight/fleet.js";
import type { Sight } from "./sight/sight.js";
import type { Trails } from "./sight/trails.js";
import { Watched } from "./sight/watched.js";

export interface AdmissionOptions {
  readonly clients: Clients;
  /** Whether nobody may act. */
  readonly readOnly: boolean;
  readonly providers: LocalPort;
  readonly departures: Departures;
  readonly trails: Trails;
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
  const { clients, gate, log } = options;
  // Viewers with one token share what they look at.
  const sights = new WeakMap<Client, Sight>();
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
    const sight = sights.get(client) ?? createSight(client, options);
    sights.set(client, sight);
    return sight;
  };
}

function createSight(client: Client, options: AdmissionOptions): Sight {
  const { clients, readOnly, departures } = options;
  const sees = visibleTo(client);
  // Pages of named sessions are for those who know the name.
  const providers = options.providers.seenBy({ scope: scopeOf(undefined), sees });
  const isSeen = ({ provider }: { provider: Provider }) => sees?.(provider) ?? true;
  const fleet = new Fleet(providers, () => [...departures.list()].filter(isSeen));
  return {
    client,
    providers,
    watched: new Watched(providers, fleet, options.trails),
    viewer: {
      name: clients.required ? client.name : null,
      // Whoever must be asked first cannot be the one who is asked.
      mayAct: client.rights.mode === "all" && !readOnly,
      mayDecide: isOwner(client),
    },
  };
}
