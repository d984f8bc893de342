export type Stop = () => void;

/** Ends something that may still be starting. */
export function stopOnceStarted(starting: Promise<Stop>): Stop {
  const started = starting.catch(() => () => {});
  return () => void started.then((stop) => stop());
}

export type StartWatching<T> = (notify: (value: T) => void) => Stop;

interface Watcher<T> {
  readonly listeners: Set<(value: T) => void>;
  stop: Stop;
  latest: { value: T; text: string } | undefined;
  isOver: boolean;
  lingering?: ReturnType<typeof setTimeout> | undefined;
}

export class TooManyWatchersError extends Error {
  override readonly name = "TooManyWatchersError";
}

/**
 * Shared watches by name. However many listeners one has, it is watched once: the first listener
 * begins it, the last one ends it, and one that comes later gets the latest state at once. A state
 * that is the same as before is not reported again.
 */
export class Watchers<T> {
  readonly #watchers = new Map<string, Watcher<T>>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#watchers.size;
  }

  /**
   * Listens to a thing until the returned function is called. Throws when too many are watched. With
   * `lingerMs` it is watched on for that long afterwards, for a listener that comes and goes.
   */
  watch(
    name: string,
    start: StartWatching<T>,
    listener: (value: T) => void,
    { lingerMs = 0 }: { lingerMs?: number | undefined } = {},
  ): Stop {
    let watcher = this.#watchers.get(name);
    // A wrapper, so that one function may listen twice.
    const own = (value: T) => listener(value);
    if (watcher === undefined) {
      this.#makeRoom();
      watcher = { listeners: new Set([own]), stop: () => {}, latest: undefined, isOver: false };
      this.#watchers.set(name, watcher);
      this.#begin(watcher, start);
    } else {
      clearTimeout(watcher.lingering);
      watcher.listeners.add(own);
      if (watcher.latest !== undefined) own(watcher.latest.value);
    }
    const { listeners } = watcher;
    return () => {
      if (!listeners.delete(own) || listeners.size > 0) return;
      if (lingerMs === 0) return this.#end(name, watcher);
      watcher.lingering = setTimeout(() => this.#end(name, watcher), lingerMs);
      watcher.lingering.unref?.();
    };
  }

  /** Watches with listeners come before those without. */
  #makeRoom(): void {
    if (this.#watchers.size < this.#max) return;
    for (const [name, watcher] of this.#watchers) {
      if (watcher.listeners.size === 0) return this.#end(name, watcher);
    }
    throw new TooManyWatchersError(
      `${this.#max} files and screens are followed, which is the limit.`,
    );
  }

  #end(name: string, watcher: Watcher<T>): void {
    clearTimeout(watcher.lingering);
    this.#watchers.delete(name);
    watcher.isOver = true;
    watcher.stop();
  }

  #begin(watcher: Watcher<T>, start: StartWatching<T>): void {
    watcher.stop = start((value) => {
      if (watcher.isOver) return;
      const text = JSON.stringify(value);
      if (watcher.latest?.text === text) return;
      watcher.latest = { value, text };
      for (const listener of [...watcher.listeners]) listener(value);
    });
  }
}

/** Calls a function again and again, never twice at once, until the returned function is called. */
export function poll(refresh: () => Promise<void>, everyMs: number): Stop {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const again = async () => {
    await refresh();
    if (isOver) return;
    timer = setTimeout(() => void again(), everyMs);
    timer.unref?.();
  };
  void again();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
