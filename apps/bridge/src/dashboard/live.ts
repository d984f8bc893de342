import { CloseReason } from "@ccbridge/protocol/dashboard";
import type { WebSocket } from "ws";
import { limits } from "../limits.js";
import { type AdmissionOptions, type Admit, createAdmission } from "./admission.js";
import type { Facts } from "./asks/index.js";
import { PageViewer, readMessage } from "./viewer.js";

export interface LiveOptions {
  readonly version: string;
  readonly facts: Facts;
  readonly admission: AdmissionOptions;
  onFault(error: unknown): void;
}

/** The open pages. */
export class Live {
  readonly #options: LiveOptions;
  readonly #admit: Admit;
  #viewers = 0;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#admit = createAdmission(options.admission);
  }

  /** Serves a page on its socket. Nothing is told to it before its first message let it in. */
  open(socket: WebSocket, { address, host }: { address: string; host: string }): void {
    const { facts, version, onFault } = this.#options;
    if (this.#viewers >= limits.dashboardViewers) {
      return socket.close(CloseReason.busy, "too many pages of the dashboard are open");
    }
    this.#viewers += 1;
    const patience = setTimeout(() => socket.terminate(), limits.dashboardHelloMs);
    socket.once("close", () => {
      clearTimeout(patience);
      this.#viewers -= 1;
    });
    // A socket that fails also closes; without a listener it would end the process.
    socket.on("error", () => {});
    socket.on("ping", (data) => socket.pong(data));
    let viewer: PageViewer | undefined;
    socket.on("message", (data, isBinary) => {
      const text = isBinary ? "" : data.toString();
      if (viewer !== undefined) return viewer.take(text);
      const hello = readMessage(text);
      if (hello?.type !== "hello") {
        return socket.close(CloseReason.malformed, "the first message must be a hello");
      }
      clearTimeout(patience);
      const sight = this.#admit(hello.token, address);
      if ("code" in sight) return socket.close(CloseReason[sight.code], sight.reason);
      viewer = new PageViewer({ socket, context: { sight, facts, host }, version, onFault });
    });
  }
}
