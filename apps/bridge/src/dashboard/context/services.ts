import type { Alert, Fired } from "@ccbridge/mcp-tools";
import type { ActionParams, ActionResult, TopicData } from "@ccbridge/protocol/dashboard";
import type { Departure } from "@ccbridge/registry";
import type { Pairing } from "../../auth/pairing/pairing.js";
import type { Client } from "../../auth/rights/client.js";
import type { Approvals } from "../../calls/approvals.js";
import type { Audit } from "../../calls/audit/audit.js";
import type { Permissions } from "../../calls/permissions.js";
import type { McpServices } from "../../mcp/handlers/session.js";
import type { CallCounters } from "../../monitor/metrics/counters.js";
import type { TurtleTracks } from "../../monitor/tracks.js";

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
  readonly numbers: CallCounters;
  historyStatus(): TopicData<"numbers">["history"];
  cluster(): TopicData<"cluster">["cluster"];
  readonly sessions: {
    list(): readonly NamedSession[];
    end(name: string): Promise<boolean>;
  };
  forget(what: ActionParams<"forget-history">): Promise<ActionResult<"forget-history">>;
  recentlyLeft(): Iterable<Departure>;
  readonly tracks: TurtleTracks;
}
