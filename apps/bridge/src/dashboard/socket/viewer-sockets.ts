import { CloseReason, type Viewer } from "@ccbridge/protocol/dashboard";
import { type Client, isOwner } from "../../auth/rights/client.js";
import { limits } from "../../config/limits.js";
import type { LiveSettings } from "../../config/live-settings.js";
import type { PeerSocket } from "../../http/peer-socket.js";
import type { DashboardServices } from "../context/services.js";
import { ViewerCalls } from "../context/viewer-calls.js";
import { SharedWatches } from "../topics/shared.js";
import { type AdmissionOptions, type Admit, createAdmission } from "./admission.js";
import { readMessage, ViewerSession } from "./viewer-session.js";

export interface ViewerSocketsOptions {
  readonly version: string;
  readonly isDemo: boolean;
  readonly settings: Pick<LiveSettings, "values" | "subscribe">;
  readonly services: DashboardServices;
  readonly admission: AdmissionOptions;
  onFault(error: unknown): void;
}

export class ViewerSockets {
  readonly #options: ViewerSocketsOptions;
  readonly #admit: Admit;
  readonly #open = new Map<PeerSocket, Client>();
  readonly #sessions = new Map<ViewerSession, Client>();
  readonly #strangers = new Map<string, Set<PeerSocket>>();
  readonly #shared = new WeakMap<Client, SharedWatches>();

  constructor(options: ViewerSocketsOptions) {
    this.#options = options;
    this.#admit = createAdmission(options.admission);
    options.settings.subscribe((name) => {
      if (name !== "readOnly") return;
      for (const [session, client] of this.#sessions) session.welcome(this.#viewerOf(client));
    });
    options.admission.clients.onGone((gone) => {
      for (const [socket, client] of this.#open) {
        if (gone.has(client)) socket.close(CloseReason.token, "the token was taken back");
      }
    });
  }

  open(socket: PeerSocket, peer: { address: string; origin: string }): void {
    const forget = this.#await(socket);
    socket.listener = {
      receive: (text) => {
        const hello = text.length > limits.dashboardHelloLength ? undefined : readMessage(text);
        if (hello?.type !== "hello") {
          return socket.close(CloseReason.malformed, "the first message must be a hello");
        }
        forget();
        const client = this.#admit(hello.token, peer.address);
        if ("code" in client) return socket.close(CloseReason[client.code], client.reason);
        if (this.#open.size >= limits.dashboardViewers) {
          return socket.close(CloseReason.busy, "too many pages of the dashboard are open");
        }
        this.#open.set(socket, client);
        socket.onClose(() => this.#open.delete(socket));
        this.#serve(socket, client, peer.origin);
      },
      receiveBinary: () => socket.close(CloseReason.malformed, "the dashboard uses text frames"),
      closed: forget,
    };
  }

  #await(socket: PeerSocket): () => void {
    const { address } = socket;
    const waiting = this.#strangers.get(address) ?? new Set();
    this.#strangers.set(address, waiting.add(socket));
    const [oldest] = waiting;
    if (waiting.size > limits.dashboardStrangers && oldest !== undefined) {
      waiting.delete(oldest);
      oldest.drop("it did not say hello");
    }
    const late = setTimeout(() => socket.drop("it did not say hello"), limits.dashboardHelloMs);
    return () => {
      clearTimeout(late);
      waiting.delete(socket);
      if (waiting.size === 0) this.#strangers.delete(address);
    };
  }

  #serve(socket: PeerSocket, client: Client, origin: string): void {
    const { services, version, isDemo, onFault } = this.#options;
    const gone = new AbortController();
    const calls = this.#callsOf(client, gone.signal);
    socket.onClose(() => {
      gone.abort();
      calls.close();
    });
    const viewer = this.#viewerOf(client);
    const by = viewer.name === null ? "the dashboard" : `${viewer.name} at the dashboard`;
    const context = { calls, shared: this.#sharedBy(client), services, origin, viewer: by };
    const session = new ViewerSession({ socket, context, viewer, version, isDemo, onFault });
    this.#sessions.set(session, client);
    socket.onClose(() => this.#sessions.delete(session));
    socket.listener = session;
  }

  #sharedBy(client: Client): SharedWatches {
    const { services } = this.#options;
    const known = this.#shared.get(client);
    const never = new AbortController().signal;
    const shared = known ?? new SharedWatches(this.#callsOf(client, never), services);
    this.#shared.set(client, shared);
    return shared;
  }

  #callsOf(client: Client, gone: AbortSignal): ViewerCalls {
    const { name } = this.#viewerOf(client);
    return new ViewerCalls({
      services: this.#options.services.mcp,
      client,
      name: name === null ? "the dashboard" : `${name} (dashboard)`,
      gone,
    });
  }

  #viewerOf(client: Client): Viewer {
    const { mode } = client.rights;
    return {
      name: this.#options.admission.clients.required ? client.name : null,
      mayAct: mode !== "look" && !this.#options.settings.values.readOnly,
      mustAsk: mode === "ask",
      mayDecide: isOwner(client),
    };
  }
}
