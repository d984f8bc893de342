import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { checkServerIdentity as checkIdentity } from "node:tls";
import { pause } from "@ccbridge/registry";
import {
  connect,
  credsAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
  nkeyAuthenticator,
} from "@nats-io/transport-node";

export interface NatsOptions {
  /** nats://host:4222 or tls://host:4222; a user and password, or a token, may be in the URL. */
  readonly servers: readonly string[];
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  /** Files: the seed of an nkey, or credentials with a JWT and a seed. */
  readonly nkeyFile?: string | undefined;
  readonly credsFile?: string | undefined;
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** How long a server may be silent before it is dropped. @default 5000 */
  readonly pingMs?: number | undefined;
}

export interface ConnectionEvents {
  /** Each time a server is connected, also the first time. */
  up(): void;
  down(reason: string): void;
}

const RETRY_MS = 1_000;

/**
 * A connection to NATS that is kept up. Messages that are published while it is down are lost without an error, so
 * callers look at `isUp` first.
 */
export class Connection {
  readonly nats: NatsConnection;
  #isUp = true;
  #isClosed = false;
  #upSince = performance.now();

  private constructor(nats: NatsConnection, events: ConnectionEvents) {
    this.nats = nats;
    void this.#follow(events);
    void nats.closed().then((error) => {
      this.#isUp = false;
      if (!this.#isClosed) events.down(error?.message ?? "the connection was closed");
    });
  }

  /** Connects, however long it takes, unless the signal stops it. */
  static async open(
    options: NatsOptions,
    { name, inboxPrefix }: { name: string; inboxPrefix: string },
    events: ConnectionEvents & { failed(reason: string): void },
    signal: AbortSignal,
  ): Promise<Connection | undefined> {
    while (!signal.aborted) {
      try {
        const nats = await connect({ ...(await toNats(options)), name, inboxPrefix });
        if (!signal.aborted) return new Connection(nats, events);
        await nats.close();
      } catch (error) {
        events.failed(describe(error));
        await pause(RETRY_MS, signal);
      }
    }
    return undefined;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  get upForMs(): number {
    return this.#isUp ? performance.now() - this.#upSince : 0;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isUp = false;
    await this.nats.close();
  }

  async #follow(events: ConnectionEvents): Promise<void> {
    for await (const status of this.nats.status()) {
      if (status.type === "disconnect" || status.type === "staleConnection") {
        if (!this.#isUp) continue;
        this.#isUp = false;
        events.down("NATS is not reachable");
      } else if (status.type === "reconnect") {
        this.#isUp = true;
        this.#upSince = performance.now();
        events.up();
      }
    }
  }
}

async function toNats(options: NatsOptions): Promise<NodeConnectionOptions> {
  const { servers, user, password, token, nkeyFile, credsFile, pingMs = 5_000 } = options;
  const { caFile, certFile, keyFile } = options;
  const parsed = servers.map(parseServer);
  const [first] = parsed;
  const isTls = parsed.some(({ tls }) => tls) || caFile !== undefined || certFile !== undefined;
  const authenticators = [
    ...(nkeyFile === undefined ? [] : [nkeyAuthenticator(seedOf(await readFile(nkeyFile)))]),
    ...(credsFile === undefined ? [] : [credsAuthenticator(await readFile(credsFile))]),
  ];
  const login = {
    user: user ?? first?.user,
    pass: password ?? first?.pass,
    token: token ?? first?.token,
  };
  return {
    servers: parsed.map(({ server }) => server),
    ...Object.fromEntries(Object.entries(login).filter(([, value]) => value !== undefined)),
    ...(authenticators.length === 0 ? {} : { authenticator: authenticators }),
    ...(isTls
      ? {
          tls: {
            ...(caFile === undefined ? {} : { caFile }),
            ...(certFile === undefined ? {} : { certFile }),
            ...(keyFile === undefined ? {} : { keyFile }),
            ...checkingAddresses(parsed.map(({ host }) => host)),
          },
        }
      : {}),
    timeout: 5_000,
    pingInterval: pingMs,
    maxPingOut: 2,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
    reconnectJitter: 250,
    // A password that is changed on the servers first must not end the bridge's attempts.
    ignoreAuthErrorAbort: true,
  };
}

function parseServer(text: string) {
  const url = new URL(text.includes("://") ? text : `nats://${text}`);
  const [name, pass] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    server: `${url.hostname}:${url.port === "" ? 4222 : url.port}`,
    tls: url.protocol === "tls:",
    user: pass === "" ? undefined : name,
    pass: pass === "" ? undefined : pass,
    token: pass === "" && name !== "" ? name : undefined,
  };
}

/**
 * A server that is named by its address is connected without a name, and Node then compares its certificate with
 * "localhost": here, with the addresses.
 */
function checkingAddresses(hosts: readonly string[]) {
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  if (addresses.length === 0) return {};
  const checkServerIdentity: typeof checkIdentity = (name, certificate) => {
    const problem = checkIdentity(name, certificate);
    if (problem === undefined || hosts.includes(name)) return problem;
    const fits = addresses.some((address) => checkIdentity(address, certificate) === undefined);
    return fits ? undefined : problem;
  };
  return { checkServerIdentity };
}

function seedOf(file: Buffer): Uint8Array {
  const [seed] = /\bSU[A-Z2-7]{56}\b/.exec(file.toString("latin1")) ?? [];
  if (seed === undefined) throw new Error("the nkey file has no seed of a user (SU...)");
  return new TextEncoder().encode(seed);
}

function describe(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
