import type { Alert, Fired } from "@ccbridge/mcp-tools";
import type { ActionParams, ActionResult, TopicData } from "@ccbridge/protocol/dashboard";
import { BoundedMap, type Departure, type LastPlace, type Position } from "@ccbridge/registry";
import type { Pairing } from "../../auth/pairing/pairing.js";
import type { Client } from "../../auth/rights/client.js";
import type { Approvals } from "../../calls/approvals.js";
import type { Audit } from "../../calls/audit/audit.js";
import type { Permissions } from "../../calls/permissions.js";
import type { McpServices } from "../../mcp/handlers/session.js";
import type { Numbers } from "../../monitor/metrics/counters.js";

/** Bounds: positions per turtle, and turtles (least recently moved are evicted). */
const MAX_PLACES = 512;
const MAX_TURTLES = 256;

export interface Track {
  readonly movedAt: number;
  readonly trail: readonly Position[];
}

export class TurtleTracks {
  readonly #tracks = new BoundedMap<string, { movedAt: number; trail: Position[] }>(MAX_TURTLES);
  /** Called with the key of a turtle that moved. */
  onChange: ((key: string, track: Track) => void) | undefined;

  /** Continues the trail of an earlier process. */
  restore(key: string, { movedAt, trail }: Track): void {
    this.#tracks.set(key, { movedAt, trail: trail.slice(-MAX_PLACES) });
  }

  note(key: string, place: Position): void {
    const track = this.#tracks.get(key) ?? { movedAt: 0, trail: [] };
    const { trail } = track;
    const last = trail.at(-1);
    if (last?.x === place.x && last.y === place.y && last.z === place.z) return;
    trail.push(place);
    if (trail.length > MAX_PLACES) trail.shift();
    track.movedAt = Date.now();
    this.#tracks.set(key, track);
    this.onChange?.(key, track);
  }

  of(key: string): readonly Position[] {
    return this.#tracks.get(key)?.trail ?? [];
  }

  /** Where each was seen last. */
  places(): readonly LastPlace[] {
    return [...this.#tracks.entries()].flatMap(([key, { movedAt, trail }]) => {
      const last = trail.at(-1);
      return last === undefined ? [] : [{ ...last, key, movedAt }];
    });
  }
}

/** An MCP session, under a name that is not a secret. */
interface NamedSession {
  readonly name: string;
  readonly client: Client;
  readonly usedAt?: number | undefined;
  readonly mayEnd: boolean;
  readonly openCalls: number;
  readonly software?: string | undefined;
  readonly protocol?: string | undefined;
}

/** The alerts of clients, and their last deliveries. */
export interface AlertDesk {
  list(client?: Client): readonly (Alert & { readonly client: string })[];
  fired(client?: Client): readonly Fired[];
  remove(id: string, client?: Client): Alert | undefined;
  subscribe(listener: () => void): () => void;
}

export interface DashboardServices {
  readonly mcp: McpServices;
  connect(origin: string): ActionResult<"connect">;
  readonly audit: Audit;
  readonly approvals: Approvals;
  readonly permissions: Permissions;
  readonly alerts: AlertDesk;
  /** Undefined where computers need no approval. */
  readonly pairing: Pairing | undefined;
  readonly capabilities: {
    list(): TopicData<"waiting">["capabilities"];
    decide(decision: ActionParams<"grant">, by: string): boolean;
    subscribe(listener: () => void): () => void;
  };
  readonly tokens: {
    list(): TopicData<"tokens">;
    /** Returns the new token. */
    create(rights: ActionParams<"create-token">): string;
    revoke(name: string): void;
  };
  readonly settings: {
    list(): TopicData<"settings">;
    change(change: ActionParams<"change-setting">): void;
    subscribe(listener: () => void): () => void;
  };
  /** False when it is not approved. */
  revokeApproval(key: string, by: string): boolean;
  readonly numbers: Numbers;
  historyStatus(): TopicData<"numbers">["history"];
  readonly sessions: {
    list(): readonly NamedSession[];
    end(name: string): Promise<boolean>;
  };
  forget(what: ActionParams<"forget-history">): Promise<ActionResult<"forget-history">>;
  recentlyLeft(): Iterable<Departure>;
  readonly tracks: TurtleTracks;
}
