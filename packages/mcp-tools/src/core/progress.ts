export const QUIET_MS = 8_000;

export interface Progress {
  end(): void;
}

export const silent: Progress = { end: () => {} };

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
