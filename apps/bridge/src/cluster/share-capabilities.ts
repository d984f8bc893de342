import { createHash } from "node:crypto";
import type { Cluster } from "@ccbridge/cluster";
import { isPage, PAGE, type PageRequest, type Pages } from "@ccbridge/registry";
import { SharedList } from "./shared-lists.js";

interface Decided {
  /** Undefined for the common session. */
  readonly session?: string | undefined;
  readonly capabilities: readonly string[];
}

interface Granted extends Decided {
  readonly until: number;
}

const GRANTS = "page-grants";
const DECLINED = "declined-capabilities";

/** What agents ask for in a session of pages is asked and decided at any bridge, and holds for its pages on all. */
export function shareCapabilities(cluster: Cluster, pages: Pages): () => void {
  const { shared, directory } = cluster;
  const granted = (session: string | undefined): readonly string[] => {
    const known = shared.get(GRANTS, nameOf(session)) as Granted | undefined;
    return known === undefined || known.until <= Date.now() ? [] : known.capabilities;
  };
  const list = new SharedList<readonly PageRequest[]>(
    cluster,
    "capabilities",
    () => pages.ownRequests(),
    () => pages.notifyDesk(),
  );
  pages.elsewhere = {
    pages: (session) =>
      [...directory.list(PAGE)].flatMap(({ provider }) =>
        isPage(provider) && provider.session === session ? provider : [],
      ),
    granted,
    requests: () => [...list.others().values()].flat(),
    changed: () => list.changed(),
    decided(session, capabilities, isGranted) {
      if (!isGranted) return cluster.broadcast(DECLINED, { session, capabilities });
      const all = [...new Set([...granted(session), ...capabilities])];
      const until = Date.now() + pages.limits.sessionTtlMs;
      const value: Granted = { session, capabilities: all, until };
      shared.put(GRANTS, nameOf(session), value);
    },
  };
  shared.follow(GRANTS, {
    set(_, value) {
      const { session, capabilities, until } = value as Granted;
      if (until > Date.now()) pages.sessions.grant(session, capabilities);
    },
  });
  const stop = cluster.listen(DECLINED, {
    receive(data) {
      const { session, capabilities } = data as Decided;
      pages.sessions.dismiss(session, capabilities);
    },
  });
  return () => {
    pages.elsewhere = undefined;
    list.close();
    stop();
  };
}

function nameOf(session: string | undefined): string {
  return createHash("sha256")
    .update(session ?? "")
    .digest("base64url");
}
