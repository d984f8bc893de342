import type { FileHandles } from "../fs/handles.js";
import type { HostFunctions } from "../vm/lua-vm.js";
import type { NetworkHost } from "./network.js";
import { HttpRequests } from "./requests.js";
import { Websockets } from "./websockets.js";

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

  get isBusy(): boolean {
    return this.#requests.pending > 0 || this.#websockets.connecting > 0;
  }

  get isUnsettled(): boolean {
    return this.isBusy || this.#websockets.unsettled > 0;
  }

  probe(all: boolean): void {
    this.#websockets.probe(all);
  }

  drop(): void {
    this.#websockets.closeAll();
    this.#requests.abortAll();
  }

  hostFunctions(): HostFunctions {
    return { ...this.#websockets.hostFunctions(), ...this.#requests.hostFunctions() };
  }
}
