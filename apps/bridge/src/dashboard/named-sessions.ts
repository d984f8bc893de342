import { sessionName } from "../calls/caller.js";
import { FIRST_SESSIONLESS, type Sessionless } from "../mcp/sessions/sessionless.js";
import type { Sessions } from "../mcp/sessions/sessions.js";
import type { DashboardServices } from "./context/services.js";

export function namedSessions(
  sessions: Sessions,
  sessionless: Sessionless,
): DashboardServices["sessions"] {
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
