import type { JobsPort } from "@ccbridge/registry";
import { cleanText, cutEnd } from "../format/text.js";
import { type Progress, QUIET_MS, silent } from "../tool/progress.js";

/** Printing code must not turn every line into a message. */
const PAUSE_MS = 500;
/** As much as a message is made from. */
const TAIL_LENGTH = 1_000;

/** Tells a waiting client the newest output of a job from a cursor on, or that it still runs. */
export function reportProgress(
  jobs: JobsPort,
  { id, cursor }: { id: string; cursor: number },
  send: ((message: string) => void) | undefined,
): Progress {
  if (send === undefined) return silent;
  const over = new AbortController();
  void follow(jobs, { id, cursor }, { send, signal: over.signal });
  return { end: () => over.abort() };
}

interface Listener {
  send(message: string): void;
  signal: AbortSignal;
}

async function follow(
  jobs: JobsPort,
  { id, cursor }: { id: string; cursor: number },
  { send, signal }: Listener,
): Promise<void> {
  const startedAt = performance.now();
  let sentAt = startedAt;
  for (let told = cursor; !signal.aborted; ) {
    const timeoutMs = sentAt + QUIET_MS - performance.now();
    const news = await tail(jobs, id, told, { timeoutMs, signal });
    if (news === undefined || signal.aborted) return;
    told = news.next;
    const now = performance.now();
    const isQuiet = now - sentAt >= QUIET_MS;
    if (news.line !== undefined) send(news.line);
    else if (isQuiet) send(`still running after ${Math.round((now - startedAt) / 1_000)} s`);
    if (news.line !== undefined || isQuiet) sentAt = now;
    if (news.ended) return;
    await pause(PAUSE_MS, signal);
  }
}

/** Waits for output behind a position, and takes its last line. */
async function tail(
  jobs: JobsPort,
  id: string,
  cursor: number,
  patience: { timeoutMs: number; signal: AbortSignal },
) {
  const range = { cursor, maxLength: TAIL_LENGTH };
  let reading = await jobs.read(id, range, { ...patience, cursor });
  if (reading === undefined) return undefined;
  const { outputEnd } = reading.job;
  if (reading.output.next < outputEnd) {
    reading = (await jobs.read(id, { ...range, cursor: outputEnd - TAIL_LENGTH })) ?? reading;
  }
  const line = cleanText(reading.output.text).trimEnd().split("\n").at(-1);
  return {
    line: line ? cutEnd(line, 200) : undefined,
    next: reading.output.next,
    ended: reading.job.ended,
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish);
  });
}
