// The Java core of the server mods against a hostile bridge.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type WebSocket from "ws";
import { WebSocketServer } from "ws";
import { compileCore, type JavaServer, missingJava, spawnServer } from "./java-process.js";

let core: ReturnType<typeof compileCore>;

const envelope = (type: string, id: string, payload: unknown) =>
  JSON.stringify({ version: "1.0.0", type, id, timestamp: 1, source: "mcp", payload });

interface Hostile {
  server: JavaServer;
  socket(): WebSocket;
  answers: Map<string, unknown>;
  ask(id: string): void;
}

async function startHostile(features: string[] = []): Promise<Hostile> {
  const bridge = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => {
    for (const client of bridge.clients) client.terminate();
    bridge.close();
  });
  await once(bridge, "listening");
  let latest: WebSocket | undefined;
  const answers = new Map<string, unknown>();
  bridge.on("connection", (socket) => {
    latest = socket;
    socket.on("error", () => {});
    socket.on("message", (data) => {
      const { id, type, payload } = JSON.parse(String(data));
      if (payload.command === "hello") {
        const result = { version: "1.0.0", acknowledge: true, features };
        socket.send(envelope("response", id, { success: true, data: result }));
      } else if (type === "event") socket.send(envelope("response", id, { success: true }));
      answers.set(id, payload);
    });
  });
  const { port } = bridge.address() as AddressInfo;
  const server = spawnServer(core.classes, `ws://127.0.0.1:${port}`);
  await server.linked();
  return {
    server,
    answers,
    socket: () => latest as WebSocket,
    ask: (id) => latest?.send(envelope("query", id, { query: "get_server_info" })),
  };
}

async function stillServes({ ask, answers }: Hostile, id: string): Promise<void> {
  ask(id);
  await expect.poll(() => answers.get(id)).toMatchObject({ success: true });
}

describe.skipIf(missingJava !== undefined)(
  `the mod's core with a hostile bridge${missingJava === undefined ? "" : ` (skipped: ${missingJava})`}`,
  () => {
    beforeAll(() => {
      core = compileCore();
    });
    afterAll(() => core?.remove());

    it("lives through garbage and JSON that is nested too deeply", async () => {
      const hostile = await startHostile();
      const deep = 100_000;
      for (const text of [
        "",
        "nonsense",
        "[".repeat(deep),
        `{"version":"1.0.0","type":"command","id":"deep","payload":${'{"a":'.repeat(deep / 5)}`,
        envelope("gossip", "g", {}),
        envelope("command", "c", { command: "execute_command", args: [] }),
        envelope("command", "big", { command: "x".repeat(200_000) }),
        envelope("event", "e", {}),
        envelope("response", "nobody", { success: true }),
      ]) {
        hostile.socket().send(text);
      }
      await stillServes(hostile, "after-garbage");
      expect(hostile.answers.get("c")).toMatchObject({ code: "SCHEMA_ERROR" });
    });

    it("ends a link with a huge message, and dials again", async () => {
      const hostile = await startHostile();
      hostile.socket().send("x".repeat(20 * 1_024 * 1_024));
      await hostile.server.linked(2);
      await stillServes(hostile, "after-huge");
    });

    it("does not hold more than it can serve in a flood of requests", async () => {
      const hostile = await startHostile();
      const before = (await hostile.server.play({ do: "memory" })) as number;
      for (let count = 0; count < 20_000; count++) hostile.ask(`flood-${count}`);
      await expect.poll(() => hostile.answers.size, { timeout: 30_000 }).toBeGreaterThan(20_000);
      await stillServes(hostile, "after-flood");
      const after = (await hostile.server.play({ do: "memory" })) as number;
      expect(after - before).toBeLessThan(32 * 1_024 * 1_024);
    });

    it("continues when the bridge cuts the connection again and again", async () => {
      const hostile = await startHostile();
      const threads = (await hostile.server.play({ do: "threads" })) as number;
      for (let round = 2; round <= 6; round++) {
        hostile.socket().terminate();
        await hostile.server.linked(round);
      }
      await stillServes(hostile, "after-cuts");
      expect(await hostile.server.play({ do: "threads" })).toBeLessThan(threads + 20);
    });

    it("offers custom tools and events to a bridge that announces both, and only then", async () => {
      const plain = await startHostile();
      await plain.server.play({ do: "event", name: "shop:sold" });
      expect(await plain.server.play({ do: "emit", name: "shop:sold", data: {} })).toBe(false);
      const { server, answers, socket } = await startHostile(["tools", "events"]);
      await server.play({ do: "tool", name: "echo" });
      await server.play({ do: "event", name: "shop:sold" });
      await expect
        .poll(() => [...answers.values()])
        .toContainEqual({
          command: "offer_tools",
          args: { tools: [expect.objectContaining({ name: "echo", readOnly: true })] },
        });
      const args = { name: "echo", arguments: { a: [1, "ü"] } };
      socket().send(envelope("command", "call", { command: "call_tool", args }));
      await expect
        .poll(() => answers.get("call"))
        .toEqual({ success: true, data: { result: { a: [1, "ü"] } } });
      const emitted = { do: "emit", name: "shop:sold", data: { item: "bread" } };
      expect(await server.play(emitted)).toBe(true);
      await expect
        .poll(() => [...answers.values()])
        .toContainEqual(
          expect.objectContaining({ eventType: "shop:sold", data: { item: "bread" } }),
        );
    });
  },
);
