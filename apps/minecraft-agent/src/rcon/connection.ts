import { connect, type Socket } from "node:net";
import { encodePacket, type Packet, PacketReader, PacketType } from "./packet.js";

/** The server splits its answers at this many UTF-16 units. */
const PIECE_UNITS = 4_096;
const MAX_ANSWER_BYTES = 4 * 1_024 * 1_024;

export class WrongPasswordError extends Error {
  override readonly name = "WrongPasswordError";
}

export class RconTimeoutError extends Error {
  override readonly name = "RconTimeoutError";
}

export interface RconAddress {
  host: string;
  port: number;
  password: string;
}

interface Waiting {
  resolve(packet: Packet): void;
  reject(error: Error): void;
}

/**
 * The server requires that each read is exactly one packet, so there is no pipelining: every packet
 * is one write, and the next waits for the answer.
 */
export class RconConnection {
  readonly #socket: Socket;
  readonly #reader = new PacketReader();
  readonly #packets: Packet[] = [];
  #waiting: Waiting | undefined;
  #closed: Error | undefined;
  #lastId = 0;
  onClose: ((reason: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 30_000);
    socket.on("data", (bytes) => this.#receive(bytes));
    socket.on("error", (error) => this.#end(error));
    socket.on("close", () => this.#end(new Error("the server closed the connection")));
  }

  static async open(
    { host, port, password }: RconAddress,
    { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<RconConnection> {
    signal?.throwIfAborted();
    const socket = connect({ host, port });
    const connection = new RconConnection(socket);
    const abort = () => connection.close(new Error("given up"));
    signal?.addEventListener("abort", abort, { once: true });
    try {
      await connection.#inTime(timeoutMs, () => connection.#login(password));
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  run(command: string, timeoutMs: number): Promise<string> {
    return this.#inTime(timeoutMs, () => this.#exchange(command));
  }

  close(reason = new Error("closed")): void {
    this.#end(reason);
  }

  async #login(password: string): Promise<void> {
    const id = this.#send(PacketType.login, password);
    // Some servers send an empty answer before the login result.
    let packet = await this.#next();
    while (packet.type === PacketType.answer) packet = await this.#next();
    if (packet.id === -1) throw new WrongPasswordError("the RCON password is wrong");
    if (packet.id !== id) throw new Error("the answer to the login belongs to no login");
  }

  async #exchange(command: string): Promise<string> {
    const id = this.#send(PacketType.command, command);
    const first = await this.#answerTo(id);
    if (first.body.toString().length < PIECE_UNITS) return first.body.toString();
    // More pieces may follow. The server has consumed the command, so the marker is a separate
    // read.
    const marker = this.#send(PacketType.marker, "");
    const pieces = [first.body];
    let bytes = first.body.length;
    for (;;) {
      const packet = await this.#next();
      if (packet.id === marker) return Buffer.concat(pieces).toString();
      if (packet.id !== id) continue;
      bytes += packet.body.length;
      if (bytes > MAX_ANSWER_BYTES) throw new Error("the answer is too long");
      pieces.push(packet.body);
    }
  }

  async #answerTo(id: number): Promise<Packet> {
    for (;;) {
      const packet = await this.#next();
      if (packet.id === id) return packet;
    }
  }

  #send(type: number, text: string): number {
    if (this.#closed !== undefined) throw this.#closed;
    // -1 means a failed login.
    this.#lastId = (this.#lastId % 0x7fff_fffe) + 1;
    this.#socket.write(encodePacket(this.#lastId, type, text));
    return this.#lastId;
  }

  #next(): Promise<Packet> {
    const packet = this.#packets.shift();
    if (packet !== undefined) return Promise.resolve(packet);
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  #receive(bytes: Buffer): void {
    try {
      this.#packets.push(...this.#reader.push(bytes));
    } catch (error) {
      this.#end(error as Error);
      return;
    }
    // Unsolicited packets: a few are harmless, many are not.
    if (this.#waiting === undefined && this.#packets.length > 1_000) {
      this.#end(new Error("the server sent answers that nobody asked for"));
    }
    const waiting = this.#waiting;
    const packet = waiting === undefined ? undefined : this.#packets.shift();
    if (waiting === undefined || packet === undefined) return;
    this.#waiting = undefined;
    waiting.resolve(packet);
  }

  /** After a timeout the server's state is unknown, so the connection is closed. */
  async #inTime<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(
      () => this.#end(new RconTimeoutError(`no answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    try {
      return await work();
    } catch (error) {
      this.#end(error as Error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #end(reason: Error): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    this.#socket.destroy();
    this.#waiting?.reject(reason);
    this.#waiting = undefined;
    this.onClose?.(reason);
  }
}
