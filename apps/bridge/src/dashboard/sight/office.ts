import type { AskParams, AskResult, TopicData } from "@ccbridge/protocol/dashboard";
import type { Client } from "../../access/client.js";
import type { Audit } from "../../audit/audit.js";
import type { Approvals } from "../../calls/approvals.js";
import type { Numbers } from "../../numbers/numbers.js";
import type { Pairing } from "../../pairing/pairing.js";

/** An MCP session, under a name that is not a secret. */
interface NamedSession {
  readonly name: string;
  readonly client: Client;
  /** Unknown for what clients without sessions share; their calls show it. */
  readonly usedAt?: number | undefined;
  readonly mayEnd: boolean;
  readonly openCalls: number;
  readonly software?: string | undefined;
  readonly protocol?: string | undefined;
}

/** What pages see of the bridge itself: its clients, and what waits for a person. */
export interface Office {
  connect(host: string): AskResult<"connect">;
  readonly audit: Audit;
  readonly approvals: Approvals;
  /** Undefined where computers need no approval. */
  readonly pairing: Pairing | undefined;
  /** What AI clients asked of web pages, and a person may grant. */
  readonly capabilities: {
    list(): TopicData<"waiting">["capabilities"];
    /** False when it no longer waits. */
    decide(decision: AskParams<"grant">, by: string): boolean;
    subscribe(listener: () => void): () => void;
  };
  readonly numbers: Numbers;
  readonly sessions: {
    list(): readonly NamedSession[];
    end(name: string): Promise<boolean>;
  };
}
