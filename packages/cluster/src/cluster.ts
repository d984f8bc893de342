import { setTimeout as delay } from "node:timers/promises";
import {
  BoundedMap,
  createId,
  type ProviderPort,
  type Registry,
  selectBy,
} from "@ccbridge/registry";
import { soon } from "./ask-bridges.js";
import { Broadcasts, type TopicListener } from "./broadcasts.js";
import { Bucket } from "./bucket.js";
import { CallServer, type Operations } from "./call-server.js";
import { CallError, Caller, type CallOptions, CallProblem } from "./caller.js";
import { Connection, type NatsOptions } from "./connection.js";
import { Directory } from "./directory.js";
import { type Epoch, type Member, readEntry, readMember } from "./entry.js";
import { Follows } from "./follows.js";
import { HistoryStream } from "./history-stream.js";
import { Lease } from "./lease.js";
import { localLinks } from "./local-links.js";
import { Moves, type MovesOptions } from "./moves.js";
import { portOperations } from "./operations.js";
import { Ownership, removeOrphans } from "./ownership.js";
import { Progress } from "./progress.js";
import { RemoteChanges } from "./remote-changes.js";
import { remotePort } from "./remote-port.js";
import { SharedState } from "./shared-state.js";
import { inboxPrefix } from "./subjects.js";

export interface ClusterOptions {
  readonly nats: NatsOptions;
  /** How people call this bridge. */
  readonly name: string;
  readonly version: string;
  readonly registry: Registry;
  /** What other bridges reach: the providers that are linked here. */
  readonly port: ProviderPort;
  /** What other bridges may ask for beside the port. */
  readonly operations?: (cluster: Cluster) => Operations;
  /** Subjects and buckets begin with it. @default "ccbridge" */
  readonly prefix?: string;
  /** Copies of the directory, where NATS is a cluster of servers itself. @default 1 */
  readonly replicas?: number;
  /** @default 12000 */
  readonly leaseMs?: number;
  /** What the logs of events were marked with in earlier processes, and where it is kept for the next one. */
  readonly marks?: Pick<MovesOptions, "earlier" | "changed"> | undefined;
  /** @default performance.now */
  readonly now?: () => number;
  onStatus?(status: ClusterStatus): void;
}

export interface ClusterStatus {
  readonly state: "connecting" | "joined" | "alone";
  /** Why it is not joined, or what does not work. */
  readonly trouble?: string | undefined;
}

const SWEEP_MS = 1_000;

/** A bridge as part of a cluster. Without NATS it works on alone, and joins when it can. */
export class Cluster {
  readonly id = createId();
  readonly port: ProviderPort;
  readonly directory: Directory;
  readonly shared = new SharedState();
  readonly history = new HistoryStream();
  readonly #options: ClusterOptions;
  readonly #operations: Operations;
  readonly #prefix: string;
  readonly #leaseMs: number;
  readonly #changes: RemoteChanges;
  readonly #follows: Follows;
  readonly #progress: Progress;
  readonly #broadcasts: Broadcasts;
  readonly #moves: Moves;
  readonly #startedAt = Date.now();
  readonly #stop = new AbortController();
  readonly #links: ReturnType<typeof localLinks>;
  readonly #memberListeners = new Set<() => void>();
  readonly #joinListeners = new Set<() => void>();
  readonly #first: Promise<void>;
  #sayFirst: () => void = () => {};
  #connection: Connection | undefined;
  #caller: Caller | undefined;
  #server: CallServer | undefined;
  #providers: Bucket | undefined;
  #members: Bucket | undefined;
  #ownership: Ownership | undefined;
  #status: ClusterStatus = { state: "connecting" };
  #timers: ReturnType<typeof setInterval>[] = [];
  #unsubscribe: () => void = () => {};
  #draining = false;
  #lease: Lease | undefined;
  #present = new Map<string, { bridge: string; epoch: Epoch }>();
  #made = 0;
  readonly #keys = new Map<string, string>();
  readonly #names = new BoundedMap<string, string>(1_024);

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#prefix = options.prefix ?? "ccbridge";
    this.#leaseMs = options.leaseMs ?? 12_000;
    const { registry } = options;
    registry.elsewhere = (key) => this.directory.get(key);
    this.#first = new Promise((resolve) => {
      this.#sayFirst = resolve;
    });
    const addressesOf = registry.addressesOf;
    this.#broadcasts = new Broadcasts(this.#prefix, this.id);
    this.#links = localLinks(registry);
    this.directory = new Directory({
      self: this.id,
      leaseMs: this.#leaseMs,
      ...(options.now === undefined ? {} : { now: options.now }),
      addressesOf,
      changed: (topic, provider) => this.#changes.emit({ topic, provider }),
      arrived: ({ provider, bridge }) => this.#moves.linkedElsewhere(provider.key, bridge),
      membersChanged: () => {
        for (const listener of [...this.#memberListeners]) listener();
      },
      expired: (bridge) => {
        this.#caller?.gone(bridge);
        this.#follows.gone(bridge);
      },
    });
    this.#changes = new RemoteChanges(this.directory, this.#broadcasts, addressesOf);
    this.#moves = new Moves({
      ...{ registry, directory: this.directory, call: this.call, ...options.marks },
      isJoined: () => this.#status.state === "joined",
      watchesChanged: (key) => this.#ownership?.changed(key),
    });
    this.#follows = new Follows(options.port, this.call);
    this.#progress = new Progress(this.call);
    this.port = remotePort({
      ...{ directory: this.directory, select: selectBy(registry), progress: this.#progress },
      dialect: (kind) => registry.dialect(kind),
      call: this.call,
      nameOf: (bridge) => this.nameOf(bridge),
      trouble: () => this.#status.trouble,
      follow: (entry, subject, listening) => this.#follows.follow(entry, subject, listening),
      subscribe: (listener, filter) => this.#changes.subscribe(listener, filter),
    });
    this.#operations = options.operations?.(this) ?? {};
    void this.#open();
  }

  /** A port of this bridge, with cursors of events that hold in the whole cluster. */
  marked(port: ProviderPort): ProviderPort {
    return this.#moves.marked(port);
  }

  get status(): ClusterStatus {
    return this.#status;
  }

  /** Resolves when the cluster is joined, or after a time without it. */
  async ready(timeoutMs: number): Promise<void> {
    const over = new AbortController();
    await Promise.race([this.#first, delay(timeoutMs, undefined, over).catch(() => {})]);
    over.abort();
  }

  members(): readonly Member[] {
    return this.directory.members();
  }

  onMembers(listener: () => void): () => void {
    this.#memberListeners.add(listener);
    return () => this.#memberListeners.delete(listener);
  }

  /** Called each time the cluster is joined, also now if it is. */
  onJoin(listener: () => void): void {
    this.#joinListeners.add(listener);
    if (this.#status.state === "joined") listener();
  }

  nameOf(bridge: string): string {
    return this.directory.member(bridge)?.name ?? this.#names.get(bridge) ?? bridge;
  }

  /** See {@link Lease.latencyMs}. */
  get latencyMs(): number | undefined {
    return this.#lease?.latencyMs;
  }

  /** Calls of other bridges that this one works on. */
  get running(): number {
    return this.#server?.running ?? 0;
  }

  /** Screens and files that other bridges follow here. */
  get followed(): number {
    return this.#follows.size;
  }

  /** Links that other bridges do not see yet. */
  get unwritten(): number {
    return this.#ownership?.unwritten ?? 0;
  }

  readonly call = (
    bridge: string,
    op: string,
    args: unknown,
    options: CallOptions,
  ): Promise<unknown> => {
    if (this.#caller === undefined) return Promise.reject(new CallError(CallProblem.alone, bridge));
    return this.#caller.call(bridge, op, args, options).catch((error) => {
      // No bridge listens there any more: its providers are gone with it.
      if (error instanceof CallError && error.problem === CallProblem.absent) {
        this.directory.drop(bridge);
      }
      throw error;
    });
  };

  /** The answer of another bridge; undefined when there is none in time. */
  ask(bridge: string, op: string, args: object, timeoutMs: number): Promise<unknown> {
    return soon(this.call(bridge, op, args, { timeoutMs }), timeoutMs);
  }

  /** Says something to all other bridges, at most once. */
  broadcast(topic: string, data: unknown): void {
    this.#broadcasts.send(topic, data);
  }

  listen(topic: string, listener: TopicListener): () => void {
    return this.#broadcasts.listen(topic, listener);
  }

  /** Announces that this bridge ends soon, so that they do not count on it. */
  async drain(): Promise<void> {
    this.#draining = true;
    await this.#lease?.renew();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#unsubscribe();
    for (const timer of this.#timers) clearInterval(timer);
    this.#follows.close();
    this.#broadcasts.close();
    this.#server?.close();
    const goodbye = this.#members?.forget(`m.${this.id}`).catch(() => {});
    const timeout = new Promise((resolve) => setTimeout(resolve, 1_000).unref?.());
    const last = Promise.all([goodbye, this.history.flush()]);
    if (this.#connection?.isUp) await Promise.race([last, timeout]);
    this.history.close();
    this.#caller?.close();
    this.#providers?.close();
    this.#members?.close();
    this.shared.close();
    await this.#connection?.close().catch(() => {});
  }

  async #open(): Promise<void> {
    const connection = await Connection.open(
      this.#options.nats,
      { name: `ccbridge ${this.#options.name}`, inboxPrefix: inboxPrefix(this.#prefix, this.id) },
      {
        up: () => this.#relist(),
        down: (reason) => this.#setStatus({ state: "alone", trouble: reason }),
        failed: (reason) => this.#setStatus({ state: "alone", trouble: reason }),
      },
      this.#stop.signal,
    );
    if (connection === undefined) return;
    this.#connection = connection;
    const { port, replicas = 1 } = this.#options;
    this.#broadcasts.connected(connection);
    this.shared.connected(connection, this.id, `${this.#prefix}_shared`, replicas);
    this.history.connected(connection, this.#prefix, this.id, replicas);
    this.#caller = new Caller(connection, this.#prefix, this.id);
    const trouble = (reason: string) => this.#setStatus({ state: "alone", trouble: reason });
    const members = new Bucket(
      connection,
      this.id,
      { name: `${this.#prefix}_members`, ttlMs: this.#leaseMs, replicas },
      {
        set: (_, value) => {
          const member = readMember(value);
          if (member === undefined) return;
          this.#names.set(member.id, member.name);
          this.directory.renew(member);
        },
        deleted: (key) => this.directory.drop(key.slice(2)),
        listed: () => void this.#lease?.renew(),
        trouble,
      },
    );
    this.#members = members;
    this.#lease = new Lease({
      bucket: members,
      member: () => this.#member(),
      silent: () => {
        const wasJoined = this.#status.state === "joined";
        if (wasJoined) trouble("NATS does not answer");
        return wasJoined;
      },
      back: () => this.#relist(),
    });
    this.#providers = new Bucket(
      connection,
      this.id,
      { name: `${this.#prefix}_providers`, replicas },
      {
        set: (key, value, revision) => this.#saw(key, value, revision),
        deleted: (key, revision) => this.#sawNone(key, revision),
        listing: (made) => {
          this.#made = made;
          this.#present = new Map();
        },
        listed: () => this.#listed(),
        trouble,
      },
    );
    const ownership = new Ownership(this.id, this.#providers, this.#links);
    this.#ownership = ownership;
    this.#server = new CallServer(connection, this.#prefix, this.id, {
      ...portOperations(this.marked(port), (key) => ownership.epochOf(key), this.#progress),
      ...this.#moves.operations,
      ...this.#follows.operations,
      ...this.#progress.operations,
      ...this.#operations,
    });
    this.#unsubscribe = this.#links.subscribe({
      linked: (key) => {
        this.#moves.linked(key);
        ownership.linked(key);
      },
      unlinked: (key) => void ownership.unlinked(key),
      changed: (key) => ownership.changed(key),
      event: (provider, event) => this.#changes.send(provider, event),
    });
    const renewMs = this.#leaseMs / 4;
    this.#timers = [
      setInterval(() => void this.#lease?.renew(), renewMs),
      setInterval(() => this.directory.sweep(SWEEP_MS), SWEEP_MS),
      setInterval(() => {
        if (this.#status.state === "joined") void removeOrphans(this.directory, ownership, members);
      }, this.#leaseMs),
    ];
    for (const timer of this.#timers) timer.unref?.();
  }

  #relist(): void {
    this.#members?.relist();
    this.shared.relist();
    this.history.relist();
    this.#providers?.relist();
    this.#caller?.askAll();
  }

  #saw(key: string, value: unknown, revision: number): void {
    const entry = readEntry(value);
    if (entry === undefined) return;
    this.#keys.set(key, entry.provider.key);
    const epoch = entry.epoch ?? { made: this.#made, revision };
    this.#present.set(entry.provider.key, { bridge: entry.bridge, epoch });
    // The link here is dropped first, so that the last that is heard of the provider is where it is.
    this.#ownership?.saw(entry.provider.key, entry.bridge, epoch, revision);
    this.directory.set({ ...entry, epoch, revision });
  }

  #sawNone(key: string, revision: number): void {
    const provider = this.#keys.get(key);
    if (provider === undefined) return;
    this.#present.delete(provider);
    this.#keys.delete(key);
    this.directory.delete(provider);
    this.#ownership?.saw(provider, undefined, { made: this.#made, revision }, revision);
  }

  #listed(): void {
    this.directory.keepOnly(new Set(this.#present.keys()));
    this.#ownership?.listed(this.#made, this.#present);
    if (this.#status.state === "alone") this.#moves.relisted();
    this.#setStatus({ state: "joined" });
    this.#sayFirst();
    for (const listener of [...this.#joinListeners]) listener();
  }

  #member(): Member {
    const { name, version, registry } = this.#options;
    return {
      ...{ id: this.id, name, version, startedAt: this.#startedAt, draining: this.#draining },
      notes: [...(this.#ownership?.notes ?? []), ...this.history.notes],
      ...{ providers: registry.size, unshared: this.history.dropped },
    };
  }

  #setStatus(status: ClusterStatus): void {
    const isSame = status.state === this.#status.state && status.trouble === this.#status.trouble;
    this.#status = status;
    if (!isSame) this.#options.onStatus?.(status);
  }
}
