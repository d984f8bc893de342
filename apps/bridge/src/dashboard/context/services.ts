import type { Alert, Fired } from "@ccbridge/mcp-tools";
import type {
  ActionParams,
  ActionResult,
  CallRow,
  SessionRow,
  TopicData,
} from "@ccbridge/protocol/dashboard";
import type { Departure } from "@ccbridge/registry";
import type { Pairing } from "../../auth/pairing/pairing.js";
import type { Client } from "../../auth/rights/client.js";
import type { Approvals } from "../../calls/approvals.js";
import type { Audit } from "../../calls/audit/audit.js";
import type { Permissions } from "../../calls/permissions.js";
import type { McpServices } from "../../mcp/handlers/session.js";
import type { NamedSessions } from "../../mcp/sessions/named-sessions.js";
import type { CallCounters } from "../../monitor/metrics/counters.js";
import type { TurtleTracks } from "../../monitor/tracks.js";

/** What other bridges have, and why some of it may be missing. */
export interface Elsewhere<Row> {
  readonly rows: readonly Row[];
  readonly unseen: string | undefined;
}

/** The clients of other bridges. */
export interface ClientsElsewhere {
  sessions(): Promise<Elsewhere<SessionRow>>;
  /** Calls that run, and those that ended within the last seconds. */
  calls(): Promise<Elsewhere<CallRow>>;
  /** Undefined when a bridge that may have the session does not answer. */
  end(name: string): Promise<boolean | undefined>;
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
  readonly sessions: NamedSessions;
  /** Undefined for a bridge that works alone by its settings. */
  readonly elsewhere: ClientsElsewhere | undefined;
  forget(what: ActionParams<"forget-history">): Promise<ActionResult<"forget-history">>;
  recentlyLeft(): Iterable<Departure>;
  readonly tracks: TurtleTracks;
}
