import type { Job } from "@ccbridge/registry";
import { cleanText, cutEnd } from "./format/text.js";

/** A client hears something every ten seconds: after eight of silence, looked at every two. */
const QUIET_MS = 8_000;
const LOOK_MS = 2_000;
/** Printing code must not turn every line into a message. */
const PAUSE_MS = 500;

export interface Progress {
  end(): void;
}

const silent: Progress = { end: () => {} };

/** Tells a waiting client the newest output of a job from a cursor on, or that it still runs. */
export function reportProgress(
  job: Job,
  cursor: number,
  send: ((message: string) => void) | undefined,
): Progress {
  if (send === undefined) return silent;
  const startedAt = performance.now();
  let sentAt = Number.NEGATIVE_INFINITY;
  let told = cursor;
  const tell = (message: string) => {
    sentAt = performance.now();
    send(message);
  };
  const news = () => {
    const { text, next } = job.output.read(Math.max(told, job.output.end - 1_000), 1_000);
    told = next;
    const line = cleanText(text).trimEnd().split("\n").at(-1);
    return line ? cutEnd(line, 200) : undefined;
  };
  const tellNews = () => {
    if (performance.now() - sentAt < PAUSE_MS) return;
    const line = news();
    if (line !== undefined) tell(line);
  };
  const stopListening = job.onChange(tellNews);
  tellNews();
  const timer = setInterval(() => {
    const now = performance.now();
    if (now - sentAt < QUIET_MS) return;
    tell(news() ?? `still running after ${Math.round((now - startedAt) / 1_000)} s`);
  }, LOOK_MS);
  return {
    end: () => {
      clearInterval(timer);
      stopListening();
    },
  };
}

/** Tells a waiting client now and then that it is not forgotten. */
export function reportWaiting(
  message: string,
  send: ((message: string) => void) | undefined,
): Progress {
  if (send === undefined) return silent;
  const startedAt = performance.now();
  const timer = setInterval(() => {
    send(`${message}, for ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  }, QUIET_MS);
  return { end: () => clearInterval(timer) };
}
