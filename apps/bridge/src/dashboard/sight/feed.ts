import type { Stop } from "@ccbridge/registry";

/**
 * Something that one viewer watches. It keeps what the viewer lacks, never more than the newest state:
 * a viewer that reads slowly misses states in between.
 */
export interface Feed<Data = unknown> {
  /** What is new since the last time; undefined when nothing is. */
  take(): Data | undefined | Promise<Data | undefined>;
  close(): void;
}

/** A feed of which only the latest state counts. */
export function latestFeed<Data>(
  ready: () => void,
  begin: (tell: (data: Data) => void) => Stop,
): Feed<Data> {
  let latest: Data | undefined;
  const stop = begin((data) => {
    latest = data;
    ready();
  });
  return {
    take() {
      const data = latest;
      latest = undefined;
      return data;
    },
    close: stop,
  };
}
