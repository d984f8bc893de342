import type { ShownEvent, TopicData } from "@ccbridge/protocol/dashboard";
import type { LoggedEvent, ProviderPort } from "@ccbridge/registry";
import { refusal } from "../context/tools.js";
import type { Source } from "./watch.js";

const PAGE = 200;
const MAX_ARGS_LENGTH = 2_000;
const WAIT_MS = 60_000;
const any = { name: "*" } as const;

export function eventsSource(
  { events }: ProviderPort,
  key: string,
  ready: () => void,
): Source<TopicData<"events">> {
  const over = new AbortController();
  let cursor: number | undefined;
  let watches = "";
  let isWaiting = false;
  const wait = async () => {
    if (isWaiting) return;
    isWaiting = true;
    const { signal } = over;
    const waiting = { cursor: cursor ?? 0, watch: any, timeoutMs: WAIT_MS, signal };
    // The next read reports why it failed.
    await events.wait(key, waiting).catch(() => {});
    isWaiting = false;
    if (!signal.aborted) ready();
  };
  return {
    async read() {
      const view = await events.get(key);
      if (view === undefined) throw refusal("This computer sends no events now.");
      const names = (watches: typeof view.watches) => watches.map(({ name }) => name);
      const asked = { watches: names(view.watches), others: names(view.othersWatch) };
      const oldest = Math.max(view.first, view.end - PAGE);
      let page = await events.read(key, { cursor: cursor ?? oldest, limit: PAGE });
      let skipped = cursor === undefined ? 0 : page.missed;
      if (view.end - page.next > PAGE) {
        // More than is shown: the newest are.
        skipped += page.events.length + view.end - PAGE - page.next;
        page = await events.read(key, { cursor: view.end - PAGE, limit: PAGE });
      }
      const isNews =
        cursor === undefined || page.events.length > 0 || watches !== JSON.stringify(asked);
      cursor = page.next;
      watches = JSON.stringify(asked);
      void wait();
      return isNews ? { events: page.events.map(shown), skipped, ...asked } : undefined;
    },
    close: () => over.abort(),
  };
}

function shown({ seq, time, name, args }: LoggedEvent): ShownEvent {
  const isLong = JSON.stringify(args).length > MAX_ARGS_LENGTH;
  return { seq, time, name, args: isLong ? ["(too long to show)"] : [...args] };
}
