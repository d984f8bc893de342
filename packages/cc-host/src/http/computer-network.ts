import type { FileHandles } from "../fs/handles.js";
import type { HostFunctions } from "../vm/lua-vm.js";
import type { NetworkHost } from "./network.js";
import { HttpRequests } from "./requests.js";
import { Websockets } from "./websockets.js";

/** Everything a computer has to do with the network. */
export class ComputerNetwork {
  readonly #websockets: Websockets;
  readonly #requests: HttpRequests;

  constructor(host: NetworkHost, handles: FileHandles) {
    this.#websockets = new Websockets(host);
    this.#requests = new HttpRequests(host, handles);
  }

  get websocketsOpen(): number {
    return this.#websockets.open;
  }

  /** Whether a connection or a request is under way. */
  get isBusy(): boolean {
    return this.#requests.pending > 0 || this.#websockets.connecting > 0;
  }

  /** Whether that, or a message on a socket, may be on its way. */
  get isUnsettled(): boolean {
    return this.isBusy || this.#websockets.unsettled > 0;
  }

  /** Finds out whether messages are on their way: on sockets that have sent any, or on all. */
  probe(all: boolean): void {
    this.#websockets.probe(all);
  }

  /** The computer is gone: connections drop silently. */
  drop(): void {
    this.#websockets.closeAll();
    this.#requests.abortAll();
  }

  hostFunctions(): HostFunctions {
    return { ...this.#websockets.hostFunctions(), ...this.#requests.hostFunctions() };
  }
}
