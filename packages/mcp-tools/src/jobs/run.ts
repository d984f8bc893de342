import {
  type BegunJob,
  type JobOrder,
  type JobProgress,
  type JobReading,
  type JobsPort,
  type JobWaiting,
  pause,
} from "@ccbridge/registry";
import { type Progress, QUIET_MS, silent } from "../core/call.js";
import type { ToolContext } from "../core/define.js";
import { afterBar, quoted } from "../format/set-apart.js";
import { cutEnd } from "../format/text.js";
import { ALL_OUTPUT } from "./report.js";

const PAUSE_MS = 500;
const TAIL_LENGTH = 1_000;

/** Sends the newest output after the cursor, or that the job is still running. */
export function reportProgress(
  jobs: JobsPort,
  { id, cursor }: { id: string; cursor: number },
  send: ((message: string) => void) | undefined,
): Progress {
  if (send === undefined) return silent;
  const over = new AbortController();
  // When it cannot be read any more, the call itself says why.
  follow(jobs, { id, cursor }, { send, signal: over.signal }).catch(() => {});
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
  let known: JobProgress | undefined;
  for (let position = cursor; !signal.aborted; ) {
    const timeoutMs = sentAt + QUIET_MS - performance.now();
    const waiting = { cursor: position, progress: known ?? null, timeoutMs, signal };
    const news = await tail(jobs, id, waiting);
    if (news === undefined || signal.aborted) return;
    position = news.next;
    known = news.progress;
    const now = performance.now();
    const isQuiet = now - sentAt >= QUIET_MS;
    if (news.line !== undefined) send(news.line);
    else if (isQuiet) send(`still running after ${Math.round((now - startedAt) / 1_000)} s`);
    if (news.line !== undefined || isQuiet) sentAt = now;
    if (news.ended) return;
    await pause(PAUSE_MS, signal);
  }
}

async function tail(jobs: JobsPort, id: string, waiting: JobWaiting & { cursor: number }) {
  const range = { cursor: waiting.cursor, maxLength: TAIL_LENGTH };
  let reading = await jobs.read(id, range, waiting);
  if (reading === undefined) return undefined;
  const { outputEnd } = reading.job;
  if (reading.output.next < outputEnd) {
    reading = (await jobs.read(id, { ...range, cursor: outputEnd - TAIL_LENGTH })) ?? reading;
  }
  const { job, output } = reading;
  const { progress } = job;
  const isNew = JSON.stringify(progress) !== JSON.stringify(waiting.progress ?? undefined);
  const line = output.text.trimEnd().split("\n").at(-1);
  return {
    line:
      isNew && progress !== undefined
        ? progressText(progress)
        : line
          ? afterBar(cutEnd(line, 200))
          : undefined,
    next: output.next,
    progress,
    ended: job.ended,
  };
}

/** For example `12 of 64: "digging"`. */
export function progressText({ progress, total, message }: JobProgress): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? count : `${count}: ${quoted(message, 200)}`;
}

export async function runJob(
  { providers: { jobs }, settings, signal, gone = signal, progress: notify }: ToolContext,
  key: string,
  order: JobOrder & { readonly waitMs?: number | undefined },
): Promise<JobReading> {
  let progress = silent;
  const begun = ({ id }: BegunJob) => {
    progress = reportProgress(jobs, { id, cursor: 0 }, notify);
  };
  const timeoutMs = order.waitMs ?? settings.execWaitMs;
  try {
    const reading = await jobs.run(key, order, ALL_OUTPUT, { timeoutMs, signal: gone, begun });
    if (signal.aborted) await jobs.stop(reading.job.id);
    return reading;
  } finally {
    progress.end();
  }
}
