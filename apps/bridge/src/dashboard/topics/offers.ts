import type { TopicData } from "@ccbridge/protocol/dashboard";
import { isPage, printable } from "@ccbridge/registry";
import type { DashboardServices } from "../context/services.js";
import { notLinked } from "../context/tools.js";
import { latest, type Source } from "./watch.js";

const MAX_DESCRIPTION = 1_000;

/** The tools of one provider, again whenever any provider's tools change. */
export function offersSource(
  { mcp }: DashboardServices,
  key: string,
  ready: () => void,
): Source<TopicData<"offers">> {
  return latest(ready, async (notify, { providers }) => {
    const read = async () => {
      const offer = await providers.offered.get(key);
      if (offer === undefined) throw notLinked();
      const { tools, broken } = await mcp.offered.list(providers);
      const unlisted = tools.filter(
        (tool) => !tool.isListed && tool.providers.includes(offer.name),
      );
      const names = new Set(unlisted.map(({ name }) => name));
      const waiting = new Set(offer.tools.flatMap(({ name, missing }) => (missing ? name : [])));
      notify({
        tools: offer.tools.map(({ name, title, description = "", missing = [] }) => ({
          name,
          title: title === undefined ? null : printable(title),
          description: printable(description).slice(0, MAX_DESCRIPTION),
          listed: !names.has(name),
          missing: [...missing],
        })),
        leftOut: broken
          .filter(({ provider, file }) => provider === offer.name && !waiting.has(file))
          .map(({ file, problem }) => ({ tool: printable(file), problem: printable(problem) })),
        since: isPage(offer.provider) ? offer.provider.since : 0,
      });
    };
    await read();
    // A provider that left is shown as away.
    return providers.changes.subscribe(() => void read().catch(() => {}), {
      topics: ["tools", "linked"],
    });
  });
}
