import type { TopicData } from "@ccbridge/protocol/dashboard";
import type { ProviderPort, WatchedScreen } from "@ccbridge/registry";
import { type Feed, latestFeed } from "../sight/feed.js";

/** A screen as it is now. The registry follows it once for all who look. */
export function screenFeed(
  providers: ProviderPort,
  { key, job }: { key: string; job?: string | undefined },
  ready: () => void,
): Feed<TopicData<"screen">> {
  return latestFeed(ready, (tell) =>
    providers.watch(key, { what: "screen", job }, (state) => {
      const { job: shown, screen, ended, problem } = state as WatchedScreen;
      tell({ job: shown ?? null, screen: screen ?? null, ended, problem: problem ?? null });
    }),
  );
}
