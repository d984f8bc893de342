import type { Cluster } from "@ccbridge/cluster";

/** How long after a change other bridges get it: several changes at once are sent together. */
const SEND_MS = 50;
/** A list is sent again now and then, for bridges that missed it. */
const AGAIN_MS = 5_000;

/** A separate list on each bridge, which all bridges show together. */
export class SharedList<T> {
  readonly #cluster: Cluster;
  readonly #topic: string;
  readonly #own: () => T;
  readonly #others = new Map<string, T>();
  readonly #timer: NodeJS.Timeout;
  readonly #stop: () => void;
  #sending: NodeJS.Timeout | undefined;

  constructor(cluster: Cluster, topic: string, own: () => T, changed: () => void) {
    this.#cluster = cluster;
    this.#topic = topic;
    this.#own = own;
    this.#stop = cluster.listen(topic, {
      receive: (data, from) => {
        const isSame = JSON.stringify(this.#others.get(from)) === JSON.stringify(data);
        const isNew = !this.#others.has(from);
        this.#others.set(from, data as T);
        if (isNew) this.changed();
        if (!isSame) changed();
      },
    });
    cluster.onMembers(() => {
      const members = new Set(cluster.members().map(({ id }) => id));
      const gone = [...this.#others.keys()].filter((id) => !members.has(id));
      for (const id of gone) this.#others.delete(id);
      if (gone.length > 0) changed();
    });
    this.#timer = setInterval(() => this.#send(), AGAIN_MS);
    this.#timer.unref();
    cluster.onJoin(() => this.#send());
  }

  /** What the other bridges have, by their ids. */
  others(): ReadonlyMap<string, T> {
    return this.#others;
  }

  /** This bridge's part has changed. */
  changed(): void {
    this.#sending ??= setTimeout(() => this.#send(), SEND_MS);
  }

  close(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#sending);
    this.#stop();
  }

  #send(): void {
    clearTimeout(this.#sending);
    this.#sending = undefined;
    this.#cluster.broadcast(this.#topic, this.#own());
  }
}
