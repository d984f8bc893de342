import { cutEnd } from "./format/text.js";

/** Clients that reset their time-out on progress want to hear something well inside 60 s. */
const QUIET_MS = 10_000;
/** Printing code must not turn every line into a message. */
const PAUSE_MS = 500;

export interface Progress {
  output(text: string): void;
  end(): void;
}

const silent: Progress = { output: () => {}, end: () => {} };

/** Tells a waiting client the newest output, or that the code still runs. */
export function reportProgress(send: ((message: string) => void) | undefined): Progress {
  if (send === undefined) return silent;
  const startedAt = performance.now();
  let sentAt = Number.NEGATIVE_INFINITY;
  const tell = (message: string) => {
    sentAt = performance.now();
    send(message);
  };
  const timer = setInterval(() => {
    const now = performance.now();
    if (now - sentAt < QUIET_MS) return;
    tell(`still running after ${Math.round((now - startedAt) / 1_000)} s`);
  }, QUIET_MS / 2);
  return {
    output(text) {
      if (performance.now() - sentAt < PAUSE_MS) return;
      const line = text.trimEnd().split("\n").at(-1);
      if (line) tell(cutEnd(line, 200));
    },
    end: () => clearInterval(timer),
  };
}
