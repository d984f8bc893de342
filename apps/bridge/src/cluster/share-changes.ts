import type { Cluster, Operations } from "@ccbridge/cluster";
import {
  BoundedMap,
  type ChangeStore,
  type KeptChange,
  type KeptChangeFilter,
  type KeptChangePage,
  LinkError,
  LinkErrorCode,
} from "@ccbridge/registry";

const ASK_MS = 5_000;
/** Changes of other bridges whose bridge is known. */
const MAX_HOMES = 16_384;
/** How much of a bridge's id a cursor has. */
const SHORT = 8;
const nothing: KeptChangePage = { changes: [], next: undefined };

export function changeOperations(own: ChangeStore): Operations {
  return {
    "changes.find": ({ filter }: { filter: KeptChangeFilter }) => own.find(filter),
    "changes.save": ({ change }: { change: KeptChange }) => own.save(change),
    "changes.content": async ({ hash }: { hash: string }) => {
      const content = await own.content(hash);
      return content && Buffer.from(content).toString("base64");
    },
    "changes.settle": () => own.settle?.(),
  };
}

/** What was changed, on whichever bridge it was called. Each keeps its own, and what jobs of its providers changed. */
export function sharedChanges(cluster: Cluster, own: ChangeStore): ChangeStore {
  const homes = new BoundedMap<string, string>(MAX_HOMES);
  const others = () => cluster.directory.others();
  const ask = (bridge: string, op: string, args: object) =>
    cluster.ask(bridge, `changes.${op}`, args, ASK_MS);
  const findAt = async (bridge: string, filter: KeptChangeFilter): Promise<KeptChangePage> => {
    if (bridge === cluster.id) return own.find(filter);
    const page = ((await ask(bridge, "find", { filter })) as KeptChangePage | undefined) ?? nothing;
    for (const { id } of page.changes) homes.set(id, bridge);
    return page;
  };
  return {
    async save(change, content) {
      const home = homes.get(change.id);
      if (home === undefined) return own.save(change, content);
      await cluster.call(home, "changes.save", { change }, { timeoutMs: ASK_MS }).catch(() => {
        const name = cluster.nameOf(home);
        throw new LinkError(
          LinkErrorCode.disconnected,
          `the bridge ${name}, which keeps that change, does not answer`,
        );
      });
    },
    drop: (id) => own.drop(id),
    async find(filter) {
      const bridges = [cluster.id, ...others()];
      const found = await Promise.all(
        startsOf(bridges, filter.before).map(async ({ bridge, before }) => ({
          ...{ bridge, before },
          page: await findAt(bridge, { ...filter, before }),
        })),
      );
      const pages = found.map(({ page }) => page.changes);
      const { changes, counts } = newest(pages, filter.limit);
      const rest = await Promise.all(
        found.map(async ({ bridge, before = "", page }, index) => {
          const count = counts[index] ?? 0;
          if (count === page.changes.length) return cursorOf(bridge, page.next);
          if (count === 0) return cursorOf(bridge, before);
          const part = { ...filter, before: before === "" ? undefined : before, limit: count };
          return cursorOf(bridge, (await findAt(bridge, part)).next);
        }),
      );
      const next = rest.filter((each) => each !== undefined).join(" ");
      return { changes, next: next === "" ? undefined : next };
    },
    async content(hash) {
      const content = await own.content(hash);
      if (content !== undefined) return content;
      const answers = await Promise.all(others().map((bridge) => ask(bridge, "content", { hash })));
      const text = answers.find((answer) => typeof answer === "string");
      return text === undefined ? undefined : Buffer.from(text, "base64");
    },
    async settle() {
      await Promise.all([own.settle?.(), ...others().map((bridge) => ask(bridge, "settle", {}))]);
    },
  };
}

/** Where to read on at each bridge that has more; without a cursor, all of them from the newest. */
function startsOf(
  bridges: readonly string[],
  cursor: string | undefined,
): { bridge: string; before: string | undefined }[] {
  if (cursor === undefined) return bridges.map((bridge) => ({ bridge, before: undefined }));
  return cursor.split(" ").flatMap((part) => {
    const [short = "", before = ""] = part.split(":");
    const bridge = bridges.find((id) => id.slice(0, SHORT) === short);
    return bridge === undefined ? [] : [{ bridge, before: before === "" ? undefined : before }];
  });
}

function cursorOf(bridge: string, before: string | undefined): string | undefined {
  return before === undefined ? undefined : `${bridge.slice(0, SHORT)}:${before}`;
}

/** The newest of several lists, each in its order, and how many are of each. */
function newest(
  pages: readonly (readonly KeptChange[])[],
  limit: number,
): { changes: KeptChange[]; counts: number[] } {
  const counts = pages.map(() => 0);
  const changes: KeptChange[] = [];
  while (changes.length < limit) {
    const heads = pages.flatMap((page, index) => {
      const change = page[counts[index] ?? 0];
      return change === undefined ? [] : [{ change, index }];
    });
    const [first, ...more] = heads;
    if (first === undefined) break;
    const { change, index } = more.reduce(
      (best, head) => (head.change.time > best.change.time ? head : best),
      first,
    );
    changes.push(change);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return { changes, counts };
}
