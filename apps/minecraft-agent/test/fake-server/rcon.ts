import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

const READ_BYTES = 1_460;
const PIECE_UNITS = 4_096;

export class FakeRcon {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #answer: (command: string) => string;
  password = "correct horse";
  pieceBytes = Number.POSITIVE_INFINITY;
  stall: Promise<void> | undefined;
  /** Called with each command before it is answered. */
  onCommand: ((command: string) => void) | undefined;
  logins = 0;
  violations = 0;

  constructor(answer: (command: string) => string) {
    this.#answer = answer;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async listen(port = 0): Promise<void> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  dropAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.dropAll();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    let isLoggedIn = false;
    socket.on("data", (bytes) => {
      const read = bytes.subarray(0, READ_BYTES);
      if (read.length < 14 || read.readInt32LE(0) !== bytes.length - 4) {
        this.violations += 1;
        socket.destroy();
        return;
      }
      const id = read.readInt32LE(4);
      const type = read.readInt32LE(8);
      const body = read.subarray(12, read.length - 2).toString();
      if (type === 3) {
        isLoggedIn = body === this.password;
        if (isLoggedIn) this.logins += 1;
        this.#send(socket, isLoggedIn ? id : -1, 2, "");
      } else if (!isLoggedIn) {
        this.#send(socket, -1, 2, "");
      } else if (type === 2) {
        void this.#command(socket, id, body);
      } else {
        this.#send(socket, id, 0, `Unknown request ${type.toString(16)}`);
      }
    });
  }

  async #command(socket: Socket, id: number, command: string): Promise<void> {
    this.onCommand?.(command);
    if (this.stall !== undefined) await this.stall;
    let rest = this.#answer(command);
    do {
      this.#send(socket, id, 0, rest.slice(0, PIECE_UNITS));
      rest = rest.slice(PIECE_UNITS);
    } while (rest !== "");
  }

  #send(socket: Socket, id: number, type: number, text: string): void {
    const body = Buffer.from(text);
    const packet = Buffer.alloc(body.length + 14);
    packet.writeInt32LE(body.length + 10, 0);
    packet.writeInt32LE(id, 4);
    packet.writeInt32LE(type, 8);
    body.copy(packet, 12);
    for (let at = 0; at < packet.length; at += Math.min(this.pieceBytes, packet.length)) {
      socket.write(packet.subarray(at, Math.min(packet.length, at + this.pieceBytes)));
    }
  }
}
