// However briefly players visit, their events are complete and in order.

import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { FakeMsmp } from "./fake-server/msmp.js";
import { FakeWorld } from "./fake-server/world.js";
import { startScene } from "./harness.js";

const kindsOf = (events: readonly { payload: { eventType: string } }[]) =>
  events.map(({ payload }) => payload.eventType.replace("player_", ""));

it("a player who joins, speaks, dies and quits before the server can be asked loses nothing", async () => {
  const { server, bridge } = await startScene();
  const { uuid } = server.join("Flash");
  server.log.chat("Flash", "hi");
  server.log.say("Flash was slain by Zombie");
  server.quit("Flash");
  await bridge.until(() => bridge.events.length === 4);
  expect(bridge.events.map(({ payload }) => [payload.eventType, payload.data])).toEqual([
    ["player_join", { player: "Flash", uuid }],
    ["player_chat", { player: "Flash", message: "hi" }],
    // The place can no longer be queried.
    [
      "player_death",
      { player: "Flash", cause: texts.flashWasSlainBy, location: null, killer: "Zombie" },
    ],
    ["player_quit", { player: "Flash", uuid }],
  ]);
});

it("a log that lags behind the server loses neither the death nor its order among joins and quits", async () => {
  const { server, bridge, lines } = await startScene();
  const { uuid } = server.join("Flash");
  server.world.removePlayer("Flash");
  await expect.poll(() => lines.join("\n")).toContain("the server does not");
  server.log.say("Flash drowned");
  server.log.say("Flash left the game");
  await bridge.until(() => bridge.events.length === 3);
  expect(kindsOf(bridge.events)).toEqual(["join", "death", "quit"]);
  expect(bridge.events[2]?.payload.data).toEqual({ player: "Flash", uuid });
});

it("a join without a player is not reported, and neither is its death", async () => {
  const { server, bridge } = await startScene();
  server.log.say("Ghost joined the game");
  server.log.say("Ghost drowned");
  server.log.chat("Steve", "end");
  await bridge.until(() => bridge.events.length > 0);
  expect(kindsOf(bridge.events)).toEqual(["chat"]);
});

type Visit = ("chat" | "death")[];
const visit: fc.Arbitrary<Visit> = fc.array(fc.constantFrom("chat", "death"), { maxLength: 4 });

it("all visits, quick or slow, are reported as they happened", async () => {
  const { server, bridge } = await startScene();
  const { world, log } = server;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(visit, fc.boolean()), { minLength: 1, maxLength: 4 }),
      async (visits) => {
        const seen = bridge.events.length;
        const expected: string[] = [];
        const reported = () => kindsOf(bridge.events.slice(seen));
        for (const [deeds, isSlow] of visits) {
          const player = server.join("Guest");
          expected.push("join", ...deeds, "quit");
          if (isSlow)
            await bridge.until(() => reported().length >= expected.length - deeds.length - 1);
          for (const deed of deeds) {
            if (deed === "chat") log.chat("Guest", "hi");
            else {
              player.lastDeath = { pos: [1, 2, 3], dimension: "minecraft:overworld" };
              log.say("Guest fell from a high place");
            }
          }
          if (isSlow) await bridge.until(() => reported().length >= expected.length - 1);
          server.quit("Guest");
        }
        await bridge.until(() => reported().length >= expected.length);
        expect(reported()).toEqual(expected);
        expect(world.players).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});

it("a player who died and left before the log is read is reported as dead first", async () => {
  const managed = new FakeWorld();
  const msmp = await FakeMsmp.start(managed);
  onTestFinished(() => msmp.close());
  const { server, bridge, lines } = await startScene({
    // Never polls during the test unless asked.
    times: { logPollMs: 600_000 },
    prepare: (server) => server.writeProperties(msmp.properties),
  });
  await expect.poll(() => lines.join("\n")).toContain("management protocol connected");
  const notify = (what: string) =>
    msmp.notify(`minecraft:notification/players/${what}`, [
      { id: "069a79f4-44e9-4726-a5be-fca90e38aaf5", name: "Flash" },
    ]);
  notify("joined");
  server.log.say("Flash drowned");
  notify("left");
  notify("joined");
  await bridge.until(() => bridge.events.length === 4);
  expect(kindsOf(bridge.events)).toEqual(["join", "death", "quit", "join"]);
});
