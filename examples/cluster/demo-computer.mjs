import { WebSocket } from "ws";

/** A computer without a game. It answers `exec-lua` by repeating the code, and links to another bridge when its own is gone. */
export class DemoComputer {
  #id;
  #urls;
  #turn;

  constructor(id, urls) {
    this.#id = id;
    this.#urls = urls;
    this.#turn = id;
    this.#link();
  }

  #link() {
    const socket = new WebSocket(this.#urls[this.#turn++ % this.#urls.length]);
    const send = (frame) => socket.send(JSON.stringify(frame));
    socket.on("open", () =>
      send({ type: "hello", computerId: this.#id, computerLabel: `demo-${this.#id}` }),
    );
    socket.on("message", (data) => {
      const { type, id, method, params } = JSON.parse(data);
      if (type !== "request") return;
      if (method === "ping") send({ type: "response", id, ok: true, result: "pong" });
      else if (method === "exec-lua") {
        const value = `demo computer ${this.#id} got: ${params?.code}`;
        const result = { returns: [{ type: "string", value }], output: "" };
        send({ type: "response", id, ok: true, result });
      } else send({ type: "response", id, ok: false, error: "unknown method" });
    });
    socket.on("error", () => {});
    socket.on("close", () => setTimeout(() => this.#link(), 500));
  }
}
