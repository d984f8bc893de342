import { decodeFrame } from "@ccbridge/protocol/minecraft";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { Outbox } from "../src/events/outbox.js";
import { type Layout, layouts } from "./fake-server/log.js";
import { versions } from "./fake-server/world.js";
import { startScene } from "./harness.js";

const kinds = (events: readonly { payload: { eventType: string } }[]) =>
  events.map(({ payload }) => payload.eventType);

describe("events of the log", () => {
  it.each(Object.keys(layouts) as Layout[])(
    "come in order on %s, over a rotation",
    async (layout) => {
      const { server, bridge } = await startScene({ layout });
      const steve = server.join("Steve");
      const alex = server.join("Alex");
      server.log.chat("Steve", "hi <Alex> joined the game");
      steve.health = 0;
      steve.lastDeath = { pos: [10, 64, -3], dimension: "minecraft:the_nether" };
      server.log.say("Steve was slain by Alex using [Sword]");
      server.log.chat("Alex", "sorry");
      await bridge.until(() => bridge.events.length === 5);
      server.log.rotate();
      server.quit("Steve");
      await bridge.until(() => bridge.events.length === 6);
      expect(
        bridge.events.map(({ payload: { eventType, data } }) => ({ eventType, data })),
      ).toEqual([
        { eventType: "player_join", data: { player: "Steve", uuid: steve.uuid } },
        { eventType: "player_join", data: { player: "Alex", uuid: alex.uuid } },
        {
          eventType: "player_chat",
          data: { player: "Steve", message: "hi <Alex> joined the game" },
        },
        {
          eventType: "player_death",
          data: {
            player: "Steve",
            cause: "Steve was slain by Alex using [Sword]",
            location: { world: "minecraft:the_nether", x: 10, y: 64, z: -3 },
            killer: "Alex",
          },
        },
        { eventType: "player_chat", data: { player: "Alex", message: "sorry" } },
        { eventType: "player_quit", data: { player: "Steve", uuid: steve.uuid } },
      ]);
    },
  );

  it("are not believed when the server knows better", async () => {
    const { server, bridge } = await startScene();
    server.log.say("Ghost joined the game");
    server.log.say("Ghost drowned");
    server.log.say("Nobody left the game");
    server.join("Steve");
    server.log.say("Steve likes cake");
    server.log.chat("Steve", "end");
    await bridge.until(() => kinds(bridge.events).includes("player_chat"));
    expect(kinds(bridge.events)).toEqual(["player_join", "player_chat"]);
  });

  it("report deaths by mods and on old versions by asking for the player", async () => {
    const { server, bridge } = await startScene();
    server.world.version = versions.old;
    const steve = server.join("Steve", { position: [1.5, 60, 2.5] });
    steve.health = 0;
    server.log.say("Steve was unmade by the void wraith");
    await bridge.until(() => bridge.events.length === 2);
    expect(bridge.events[1]?.payload).toMatchObject({
      eventType: "player_death",
      data: {
        cause: texts.steveWasUnmadeByThe,
        location: { world: "minecraft:overworld", x: 1.5, y: 60, z: 2.5 },
      },
    });
  });

  it("know players who were online before the agent", async () => {
    const { server, bridge } = await startScene({
      prepare: ({ world }) => world.addPlayer("Early"),
    });
    server.quit("Early");
    await bridge.until(() => bridge.events.length === 1);
    expect(bridge.events[0]?.payload).toMatchObject({
      eventType: "player_quit",
      data: { player: "Early", uuid: expect.stringMatching(/-/) },
    });
  });

  it("come a thousand at once without loss or disorder", async () => {
    const { server, bridge } = await startScene();
    const count = 1_000;
    const line = (n: number) => `${layouts.vanilla("Server thread", `<Steve> ${n}`)}\n`;
    server.log.raw(Array.from({ length: count }, (_, n) => line(n)).join(""));
    await bridge.until(() => bridge.events.length === count);
    const messages = bridge.events.map(
      ({ payload }) => (payload.data as { message: string }).message,
    );
    expect(messages).toEqual(Array.from({ length: count }, (_, n) => String(n)));
  });
});

describe("the outbox", () => {
  const chat = (n: number) => ({
    eventType: "player_chat" as const,
    timestamp: n,
    data: { player: "Steve", message: String(n) },
  });

  it("delivers in order, each once, and the gaps are what was lost", () => {
    const step = fc.constantFrom("push", "push", "push", "send", "send", "ack", "drop", "skip");
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 80 }),
        fc.integer({ min: 1, max: 8 }),
        (steps, room) => {
          const outbox = new Outbox({ maxEvents: room, maxBytes: 1_000_000 });
          const arrived = new Set<number>();
          const order: number[] = [];
          const onTheWay: { id: string; seq: number }[] = [];
          let made = 0;
          let skipped = 0;
          const send = () => {
            const event = outbox.next();
            if (event === undefined) return false;
            const decoded = decodeFrame(event.text, "minecraft");
            if (!decoded.ok || decoded.frame.type !== "event") throw new Error("not an event");
            const seq = decoded.frame.payload.seq ?? -1;
            onTheWay.push({ id: decoded.frame.id, seq });
            if (!arrived.has(seq)) order.push(seq);
            arrived.add(seq);
            return true;
          };
          for (const action of steps) {
            if (action === "push") outbox.push(chat(made++));
            else if (action === "skip") {
              outbox.skip(1);
              skipped += 1;
            } else if (action === "send") send();
            else if (action === "drop") {
              onTheWay.length = 0;
              outbox.restart();
            } else {
              const newest = onTheWay.pop();
              onTheWay.length = 0;
              if (newest !== undefined) outbox.acknowledge(newest.id);
            }
            expect(outbox.size).toBeLessThanOrEqual(room);
          }
          while (send());
          expect(order).toEqual([...order].sort((a, b) => a - b));
          const missing = made + skipped - arrived.size;
          expect(missing).toBe(outbox.lost);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("is bounded in bytes too", () => {
    const outbox = new Outbox({ maxEvents: 1_000, maxBytes: 1_000 });
    for (let n = 0; n < 100; n++) outbox.push(chat(n));
    expect(outbox.size).toBeLessThan(10);
    expect(outbox.lost).toBe(100 - outbox.size);
  });
});
