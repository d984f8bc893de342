import { CloseReason, type Viewer } from "@ccbridge/protocol/dashboard";
import type { StopSignal } from "@ccbridge/registry";
import type { WebSocket } from "ws";
import { type Client, isOwner } from "../../access/client.js";
import { limits } from "../../limits.js";
import { noteRead } from "../../net/fair-reading.js";
import { PageCalls } from "../context/page-calls.js";
import type { DashboardServices } from "../context/services.js";
import { SharedWatches } from "../topics/shared.js";
import { type AdmissionOptions, type Admit, createAdmission } from "./admission.js";
import { PageViewer, readMessage } from "./viewer.js";

export interface LiveOptions {
  readonly version: string;
  /** Whether no client may act. */
  readonly readOnly: boolean;
  readonly services: DashboardServices;
  readonly admission: AdmissionOptions;
  onFault(error: unknown): void;
}

/** The open pages. */
export class Live {
  readonly #options: LiveOptions;
  readonly #admit: Admit;
  /** The pages that were admitted, and with whose token. */
  readonly #open = new Map<WebSocket, Client>();
  /** What the pages of one token look at together. */
  readonly #shared = new WeakMap<Client, SharedWatches>();
  #viewers = 0;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#admit = createAdmission(options.admission);
    options.admission.clients.onGone((gone) => {
      for (const [socket, client] of this.#open) {
        if (gone.has(client)) socket.close(CloseReason.token, "the token was taken back");
      }
    });
  }

  /** Serves a page on its socket. It gets nothing before its first message has let it in. */
  open(socket: WebSocket, { address, origin }: { address: string; origin: string }): void {
    if (this.#viewers >= limits.dashboardViewers) {
      return socket.close(CloseReason.busy, "too many pages of the dashboard are open");
    }
    this.#viewers += 1;
    const patience = setTimeout(() => socket.terminate(), limits.dashboardHelloMs);
    socket.once("close", () => {
      clearTimeout(patience);
      this.#viewers -= 1;
      this.#open.delete(socket);
    });
    // Only to a page that reads: what it leaves unread would be kept.
    socket.on("ping", (data) => {
      if (socket.bufferedAmount === 0) socket.pong(data);
    });
    let viewer: PageViewer | undefined;
    socket.on("message", (data, isBinary) => {
      // A socket that is closing still reads, and one whose token was removed may do nothing more.
      if (socket.readyState !== socket.OPEN) return;
      const text = isBinary ? "" : data.toString();
      noteRead(socket);
      if (viewer !== undefined) return viewer.take(text);
      const hello = text.length > limits.dashboardHelloLength ? undefined : readMessage(text);
      if (hello?.type !== "hello") {
        return socket.close(CloseReason.malformed, "the first message must be a hello");
      }
      clearTimeout(patience);
      const client = this.#admit(hello.token, address);
      if ("code" in client) return socket.close(CloseReason[client.code], client.reason);
      this.#open.set(socket, client);
      viewer = this.#serve(socket, client, origin);
    });
  }

  #serve(socket: WebSocket, client: Client, origin: string): PageViewer {
    const { services, version, onFault } = this.#options;
    const gone = new AbortController();
    const calls = this.#callsOf(client, gone.signal);
    socket.once("close", () => {
      gone.abort();
      calls.close();
    });
    const viewer = this.#viewerOf(client);
    const by = viewer.name === null ? "the dashboard" : `${viewer.name} at the dashboard`;
    const context = { calls, shared: this.#sharedBy(client), services, origin, viewer: by };
    return new PageViewer({ socket, context, viewer, version, onFault });
  }

  #sharedBy(client: Client): SharedWatches {
    const { services } = this.#options;
    const known = this.#shared.get(client);
    const never = new AbortController().signal;
    const shared = known ?? new SharedWatches(this.#callsOf(client, never), services);
    this.#shared.set(client, shared);
    return shared;
  }

  #callsOf(client: Client, gone: StopSignal): PageCalls {
    const { name } = this.#viewerOf(client);
    return new PageCalls({
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
      mayAct: mode !== "look" && !this.#options.readOnly,
      mustAsk: mode === "ask",
      mayDecide: isOwner(client),
    };
  }
}
