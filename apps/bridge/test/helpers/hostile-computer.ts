import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { SAFE_FRAME_BYTES, splitFrame } from "@ccbridge/protocol";
import { openSocket } from "./computer.js";

interface Asked {
  id: string;
  method: string;
  params: Record<string, unknown>;
}

export interface HostileComputer {
  send(frame: object | string): void;
  sent(): Promise<void>;
  readonly closed: Promise<{ code: number; reason: string }>;
  terminate(): void;
}

export async function linkHostile(
  url: string,
  hello: Record<string, unknown>,
  onRequest: (asked: Asked, computer: HostileComputer) => void = () => {},
): Promise<HostileComputer> {
  const { socket, closed } = await openSocket(url);
  const computer: HostileComputer = {
    send(frame) {
      const text = typeof frame === "string" ? frame : JSON.stringify(frame);
      for (const part of splitFrame(text, SAFE_FRAME_BYTES, randomUUID())) socket.send(part);
    },
    async sent() {
      while (socket.bufferedAmount > 0 && socket.readyState === socket.OPEN) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    closed,
    terminate: () => socket.terminate(),
  };
  const welcomed = once(socket, "message");
  computer.send({
    type: "hello",
    computerId: 1,
    protocol: 2,
    instance: "hostile",
    features: ["cancel", "output", "chunk", "jobs"],
    methods: [],
    ...hello,
  });
  await welcomed;
  socket.on("message", (data) => {
    const frame = JSON.parse(data.toString());
    if (frame.type === "request") onRequest(frame, computer);
  });
  return computer;
}

export function result(id: string, value: unknown) {
  return { type: "response", id, ok: true, result: value };
}
