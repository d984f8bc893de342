import type { TopicData } from "@ccbridge/protocol/dashboard";
import type { JobSnapshot, ProviderPort, WatchedScreen } from "@ccbridge/registry";
import { refusal } from "../context/tools.js";
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

/** Characters in one message, and how far behind a page may be before it is moved on to the newest. */
const PIECE = 32_768;
const WAIT_MS = 60_000;

export function outputSource(
  { jobs }: ProviderPort,
  id: string,
  ready: () => void,
): Source<TopicData<"output">> {
  const over = new AbortController();
  let cursor: number | undefined;
  let isDone = false;
  let isWaiting = false;
  const wait = async () => {
    if (isWaiting) return;
    isWaiting = true;
    const position = cursor ?? 0;
    const begun = performance.now();
    const job = await jobs.wait(id, { cursor: position, timeoutMs: WAIT_MS, signal: over.signal });
    isWaiting = false;
    if (over.signal.aborted) return;
    const isNews = job === undefined || job.ended || job.outputEnd > position;
    // A registry that closes ends every wait at once: polling again would never end.
    if (isNews || performance.now() - begun >= WAIT_MS) ready();
  };
  return {
    async read() {
      if (isDone) return undefined;
      const job = await jobs.get(id);
      if (job === undefined) throw refusal("This job is not known any more.");
      const from = Math.max(cursor ?? 0, job.outputEnd - PIECE);
      const reading = await jobs.read(id, { cursor: from, maxLength: PIECE });
      if (reading === undefined) throw refusal("This job is not known any more.");
      const { output, job: now } = reading;
      const skipped = output.next - output.text.length - (cursor ?? 0);
      const isNews = cursor === undefined || output.text !== "" || now.ended;
      cursor = output.next;
      isDone = now.ended && cursor >= now.outputEnd;
      if (now.outputEnd > cursor) ready();
      else if (!isDone) void wait();
      if (!isNews) return undefined;
      return {
        text: output.text,
        skipped,
        ended: isDone,
        result: isDone ? resultText(now) : null,
      };
    },
    close: () => over.abort(),
  };
}

function resultText(job: JobSnapshot): string | null {
  const answer = answerText(job);
  if (!job.isPartial) return answer;
  return ["Parts of the output never arrived.", answer].filter((part) => part !== null).join("\n");
}

function answerText({ response, note, state }: JobSnapshot): string | null {
  if (response === undefined) return note ?? null;
  if (!response.ok) return state === "cancelled" ? "Stopped." : response.error;
  const { returns } = response.result;
  if (returns.length === 0) return null;
  return returns
    .map(({ type, value }) => (value === undefined ? type : JSON.stringify(value)))
    .join(", ")
    .slice(0, PIECE);
}
