import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";

export class FakeGamePort {
  readonly #server: Server;
  answer: () => string;

  constructor(answer: () => string) {
    this.answer = answer;
    this.#server = createServer((socket) => {
      socket.on("error", () => {});
      let seen = Buffer.alloc(0);
      socket.on("data", (bytes) => {
        seen = Buffer.concat([seen, bytes]);
        if (!seen.subarray(-2).equals(Buffer.from([1, 0]))) return;
        const json = Buffer.from(this.answer());
        const body = Buffer.concat([Buffer.from([0]), varInt(json.length), json]);
        socket.write(Buffer.concat([varInt(body.length), body]));
      });
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  async close(): Promise<void> {
    this.#server.close();
    await once(this.#server, "close");
  }
}

function varInt(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}
