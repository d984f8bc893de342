import {
  CloseCode,
  type Hello,
  HelloErrorCode,
  PROTOCOL_VERSION,
  TransferBudget,
} from "@ccbridge/protocol";
import { Changes } from "./changes.js";
import type { Channel, Origin } from "./channel.js";
import { Deadlines } from "./deadlines.js";
import { selectComputer } from "./dialects/computercraft/selector.js";
import { LinkError, LinkErrorCode } from "./errors.js";
import { Events } from "./events/events.js";
import { type Identity, identifyComputer } from "./identity.js";
import { Jobs } from "./jobs/jobs.js";
import { Link } from "./link.js";
import { type RegistryLimits, type RegistryOptions, registryDefaults } from "./options.js";
import type { RegistryHost } from "./registry-host.js";

/** Connections beyond `maxLinks` that may be saying hello, so that a full registry can still replace. */
const GREETING_ROOM = 64;

/** Which computer is meant. `world` takes a world's name or a computer's instance id. */
export interface ComputerTarget {
  computerId: number;
  world?: string | undefined;
}

/** Everyone who is linked. Knows channels, not sockets. */
export class Registry {
  readonly limits: Readonly<RegistryLimits>;
  readonly jobs: Jobs;
  readonly events: Events;
  /** Tells what changes: who is linked, whether they answer, what happens there. */
  readonly changes = new Changes();
  readonly #options: RegistryOptions;
  readonly #host: RegistryHost;
  readonly #connections = new Set<Link>();
  readonly #linked = new Map<string, Link>();
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #newest: Identity | undefined;
  /** The computers in order, until somebody links or leaves. */
  #sorted: readonly Link[] | undefined;
  #closed = false;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.limits = Object.freeze(withDefaults(options));
    this.#host = this.#createHost();
    this.jobs = new Jobs({
      limits: this.limits,
      nextId: this.#host.nextId,
      linkOf: (key) => this.#linked.get(key),
    });
    this.events = new Events({
      limits: this.limits,
      onEvent: (identity) => this.changes.emit({ topic: "events", identity }),
    });
  }

  /** How many providers are linked. */
  get size(): number {
    return this.#linked.size;
  }

  /** How many connections are open, those included that have not said hello. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Takes a new connection. Feed the returned link with what the connection receives. */
  attach(channel: Channel, origin: Origin): Link {
    const link = new Link(this.#host, channel, origin);
    this.#connections.add(link);
    if (this.#closed) {
      link.refuse(
        CloseCode.goingAway,
        HelloErrorCode.shuttingDown,
        "This bridge is shutting down.",
      );
    } else if (this.#connections.size > this.limits.maxLinks + GREETING_ROOM) {
      this.#refuseForRoom(link);
    }
    return link;
  }

  /** The linked computers, by id. */
  computers(): readonly Link[] {
    this.#sorted ??= [...this.#linked.values()].sort(
      ({ identity: a }, { identity: b }) => a.computerId - b.computerId || (a.key < b.key ? -1 : 1),
    );
    return this.#sorted;
  }

  /** The one computer that is meant. Throws a {@link LinkError} when there is none or several. */
  computer(target: ComputerTarget): Link {
    const { computerId, world } = target;
    const selector = world === undefined ? computerId : `${computerId}@${world}`;
    return selectComputer(selector, this.computers());
  }

  /** The link of a provider, if it has one now. */
  link(key: string): Link | undefined {
    return this.#linked.get(key);
  }

  /** Tells everyone goodbye and fails what waits. Later connections are refused. */
  close(reason = "the bridge is shutting down"): void {
    this.#closed = true;
    this.jobs.close(reason);
    this.events.close();
    for (const link of [...this.#connections]) {
      link.shut(CloseCode.goingAway, reason, LinkErrorCode.shuttingDown);
    }
  }

  #createHost(): RegistryHost {
    const options = this.#options;
    // Ids of an earlier run must not fit a request of this one: agents keep requests over reconnects.
    const run = Math.random().toString(36).slice(2, 8).padEnd(6, "0");
    let requests = 0;
    return {
      limits: this.limits,
      bridge: options.bridge,
      protocol: PROTOCOL_VERSION,
      transferBudget: new TransferBudget(this.limits.maxTransferBytes),
      deadlines: new Deadlines(),
      nextId: () => `${run}-${++requests}`,
      hello: (link, hello) => this.#onHello(link, hello),
      ended: (link, reason) => this.#onEnded(link, reason),
      answered: (link, response) => this.jobs.answer(link, response),
      printed: (link, output) => this.jobs.print(link, output),
      event: (link, event) => this.events.receive(link, event),
      goneError: (label) =>
        new LinkError(LinkErrorCode.notLinked, `${label} failed: it is not linked any more`),
      unresponsive: (link) => {
        options.unresponsive?.(link);
        this.changes.emit({ topic: "state", identity: link.identity });
      },
      recovered: (link) => {
        options.recovered?.(link);
        this.changes.emit({ topic: "state", identity: link.identity });
      },
      refused: (origin, reason) => options.refused?.(origin, reason),
      problem: (origin, reason) => options.problem?.(origin, reason),
      debug: (origin, message) => options.debug?.(origin, message),
    };
  }

  #onHello(link: Link, hello: Hello): void {
    if (this.#options.authorize?.(hello.token ?? link.origin.token, link.origin) === false) {
      link.refuse(
        CloseCode.unauthorized,
        HelloErrorCode.unauthorized,
        "The token is missing or wrong. Use one of the bridge's CC_LINK_TOKENS.",
      );
      return;
    }
    const identity = identifyComputer(hello, this.#newest);
    this.#newest = identity;
    const earlier = this.#linked.get(identity.key);
    if (earlier === undefined && this.#linked.size >= this.limits.maxLinks) {
      this.#refuseForRoom(link);
      return;
    }
    // A link that says hello again may bring a new label, but stays who it is.
    if (link.key !== undefined && link.key !== identity.key) {
      link.refuse(
        CloseCode.badHello,
        HelloErrorCode.badHello,
        "A link cannot change its identity.",
      );
      return;
    }
    if (earlier !== undefined && earlier !== link) {
      earlier.shut(CloseCode.replaced, "the computer linked again", LinkErrorCode.replaced);
    }
    if (earlier === link) {
      link.welcome(identity, hello);
    } else {
      // Settled before the link counts: nothing may be sent on it ahead of the hello-ok.
      const jobs = this.jobs.linked(identity, hello);
      link.welcome(identity, hello, jobs);
      this.#linked.set(identity.key, link);
      this.#sorted = undefined;
      this.jobs.resume(link, hello);
      this.events.linked(link);
    }
    this.#options.linked?.(link);
    this.changes.emit({ topic: "linked", identity });
    this.#startHeartbeat();
  }

  #onEnded(link: Link, reason: string): void {
    this.#connections.delete(link);
    if (link.key === undefined || this.#linked.get(link.key) !== link) return;
    this.#linked.delete(link.key);
    this.#sorted = undefined;
    this.jobs.unlinked(link.identity);
    this.events.unlinked(link.identity);
    if (this.#linked.size === 0) this.#stopHeartbeat();
    this.#options.unlinked?.(link, reason);
    this.changes.emit({ topic: "unlinked", identity: link.identity });
  }

  #refuseForRoom(link: Link): void {
    link.refuse(
      CloseCode.tooManyLinks,
      HelloErrorCode.tooManyLinks,
      `This bridge holds ${this.limits.maxLinks} links, which is its limit.`,
    );
  }

  /** One timer for all links: thousands of idle computers cost a loop now and then, nothing more. */
  #startHeartbeat(): void {
    if (this.#heartbeat !== undefined) return;
    const everyMs = Math.max(20, Math.min(this.limits.heartbeatMs / 5, 5_000));
    this.#heartbeat = setInterval(() => {
      const now = performance.now();
      for (const link of [...this.#linked.values()]) link.checkHeartbeat(now);
    }, everyMs);
    this.#heartbeat.unref?.();
  }

  #stopHeartbeat(): void {
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}

function withDefaults(options: Partial<RegistryLimits>): RegistryLimits {
  const entries = Object.entries(registryDefaults).map(([name, fallback]) => [
    name,
    options[name as keyof RegistryLimits] ?? fallback,
  ]);
  return Object.fromEntries(entries) as RegistryLimits;
}
