import { randomUUID } from "node:crypto";
import { CloseReason } from "@ccbridge/protocol/dashboard";
import type { WebSocket } from "ws";
import type { Client } from "../access/client.js";
import { limits } from "../limits.js";
import { noteRead } from "../net/fair-reading.js";
import { type AdmissionOptions, type Admit, createAdmission } from "./admission.js";
import type { Office } from "./sight/office.js";
import { PageViewer, readMessage } from "./viewer.js";

export interface LiveOptions {
  readonly version: string;
  readonly office: Office;
  readonly admission: AdmissionOptions;
  onFault(error: unknown): void;
}

/** The open pages. */
export class Live {
  readonly #options: LiveOptions;
  readonly #admit: Admit;
  /** The pages that were admitted, and with whose token. */
  readonly #open = new Map<WebSocket, Client>();
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
  open(socket: WebSocket, { address, host }: { address: string; host: string }): void {
    const { office, version, onFault } = this.#options;
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
      const sight = this.#admit(hello.token, address);
      if ("code" in sight) return socket.close(CloseReason[sight.code], sight.reason);
      this.#open.set(socket, sight.client);
      const session = randomUUID().slice(0, 8);
      const context = { sight, office, host, session };
      viewer = new PageViewer({ socket, context, version, onFault });
    });
  }
}
