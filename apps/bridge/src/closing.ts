const FAREWELL_MS = 500;

export interface ClosingSteps {
  /** Lets what runs come to its end, where others take over. */
  drain?(): Promise<void> | undefined;
  stop(): void;
  /** Calls without an answer, and connections that are not closed yet. */
  open(): number;
  drop(): Promise<unknown>;
  /** Closes what the steps before may still write to. */
  finish(): Promise<void>;
}

/** Closes a bridge once, however often it is called. */
export function closingOnce({
  drain,
  stop,
  open,
  drop,
  finish,
}: ClosingSteps): () => Promise<void> {
  let closing: Promise<void> | undefined;
  const close = async () => {
    await drain?.();
    stop();
    // The goodbye must have left before the sockets are dropped.
    await settled(() => open() > 0, FAREWELL_MS);
    await drop();
    await finish();
  };
  return () => {
    closing ??= close();
    return closing;
  };
}

async function settled(isBusy: () => boolean, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (isBusy() && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
