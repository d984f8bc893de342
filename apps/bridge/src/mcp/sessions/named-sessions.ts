import type { Client } from "../../auth/rights/client.js";
import { sessionName } from "../../calls/caller.js";
import { FIRST_SESSIONLESS, type Sessionless } from "./sessionless.js";
import type { Sessions } from "./sessions.js";

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

export interface NamedSessions {
  list(): readonly NamedSession[];
  /** False when it is over already. */
  end(name: string): Promise<boolean>;
}

export function namedSessions(sessions: Sessions, sessionless: Sessionless): NamedSessions {
  return {
    list: () => [
      ...sessions
        .list()
        .map(({ id, ...facts }) => ({ name: sessionName(id), mayEnd: true, ...facts })),
      ...sessionless.list().map(({ id, ...facts }) => ({
        name: sessionName(id),
        mayEnd: false,
        protocol: FIRST_SESSIONLESS,
        ...facts,
      })),
    ],
    async end(name) {
      const found = sessions.list().find(({ id }) => sessionName(id) === name);
      return found !== undefined && sessions.end(found.id);
    },
  };
}
