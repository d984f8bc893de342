import type { TopicData } from "@ccbridge/protocol/dashboard";
import type { WatchedScreen } from "@ccbridge/registry";
import { latest, type Source } from "./watch.js";

export function screenSource(
  { key, job }: { key: string; job?: string | undefined },
  ready: () => void,
): Source<TopicData<"screen">> {
  return latest(ready, (notify, { providers }) =>
    providers.watch(key, { what: "screen", job }, (state) => {
      const { job: shown, screen, ended, problem } = state as WatchedScreen;
      notify({ job: shown ?? null, screen: screen ?? null, ended, problem: problem ?? null });
    }),
  );
}
