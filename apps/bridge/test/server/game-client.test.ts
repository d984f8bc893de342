import { eventTypes, toolNames } from "@ccbridge/protocol/minecraft";
import fc from "fast-check";
import { expect, it } from "vitest";
import { startWithTokens } from "../calls/helpers.js";
import { type AnyEvent, gameEvent } from "./arbitraries.js";
import { FakeMod, type FakeModOptions } from "./fake-mod.js";
import { GameClient } from "./game-client.js";
import { token } from "./helpers.js";
import { stallMeter } from "./listen.js";
import { hello, sendEvent } from "./property-steps.js";

const lines = "t-all name=all\nt-look name=look mode=look\n";

async function startScene(
  settings: Parameters<typeof startWithTokens>[1] = {},
  answer?: FakeModOptions["answer"],
) {
  const bridge = await startWithTokens(lines, {
    minecraftTokens: [token],
    minecraftTools: [...toolNames],
    minecraftCommands: "^say .{1,200}$",
    ...settings,
  });
  const url = `${bridge.linkUrl}/minecraft`;
  const link = (name: string) =>
    FakeMod.dial({ url, token, name, hello, ...(answer === undefined ? {} : { answer }) });
  return { bridge, url, link };
}

const player = { name: "Steve", uuid: "u", health: 20, foodLevel: 20, location: null };
const results: Record<string, unknown> = {
  get_online_players: ["Steve"],
  get_player_info: { ...player, gameMode: "survival", inventory: [] },
  get_server_info: { version: "1.21.4", onlinePlayers: 1, maxPlayers: 20, tps: 20 },
  get_world_info: { blocks: [], entities: [] },
  execute_command: { success: true, message: "hi" },
};

it("commands and queries are answered with the data of the server", async () => {
  const { url, link } = await startScene({}, (name) => ({
    success: true,
    data: results[name] ?? { success: true },
  }));
  const mod = await link("survival");
  const client = await GameClient.connect(url, "t-all");
  const calls: [string, object, unknown][] = [
    ["get_online_players", {}, ["Steve"]],
    ["get_player_info", { player: "Steve" }, results.get_player_info],
    [
      "get_server_info",
      {},
      { ...(results.get_server_info as object), weather: null, timeOfDay: null },
    ],
    ["get_world_info", { x: 0, y: 64, z: 0, radius: 2 }, results.get_world_info],
    ["send_message", { message: "hi" }, { success: true }],
    ["teleport_player", { player: "Steve", x: 1, y: 2, z: 3 }, { success: true }],
    ["give_item", { player: "Steve", item: "stone", quantity: 1 }, { success: true }],
    ["execute_command", { command: "say hi" }, { success: true, message: "hi" }],
  ];
  for (const [name, args, data] of calls) {
    expect(await client.call(name, args)).toEqual({ ok: true, data });
    expect(mod.requests.at(-1)).toEqual({ name, args });
  }
  expect(await client.call("dance")).toMatchObject({ ok: false, code: "INVALID_COMMAND" });
  expect(await client.call("exec_lua", { code: "x" })).toMatchObject({ code: "INVALID_COMMAND" });
});

it("a token may come with the first message; a wrong one is refused", async () => {
  const { url, link } = await startScene();
  await link("survival");
  const late = await GameClient.connect(url);
  expect(await late.call("hello", {}, "t-all")).toEqual({ ok: true, data: { version: "1.0.0" } });
  const first = await GameClient.connect(url);
  expect(await first.call("send_message", { message: "hi" }, "t-all")).toMatchObject({ ok: true });
  const wrong = await GameClient.connect(url);
  await wrong.call("hello", {}, "t-wrong");
  expect(wrong.answers).toMatchObject([{ type: "error", outcome: { code: "AUTH_FAILED" } }]);
  expect(wrong.closed).toBe(4_401);
  await expect(GameClient.connect(url, "t-wrong")).rejects.toThrow("refused with 401");
});

it("rights, patterns, several servers and failures have the codes of the protocol", async () => {
  const { bridge, url, link } = await startScene({ minecraftTimeoutMs: 1_000 }, () => null);
  const looks = await GameClient.connect(url, "t-look");
  const client = await GameClient.connect(url, "t-all");
  expect(await client.call("get_online_players")).toMatchObject({ code: "CONNECTION_ERROR" });
  const one = await link("one");
  expect(await client.call("send_message", { message: "hi" })).toMatchObject({
    code: "TIMEOUT",
    message: expect.stringContaining("one"),
  });
  const before = one.requests.length;
  expect(await looks.call("send_message", { message: "hi" })).toMatchObject({
    code: "PERMISSION_DENIED",
  });
  expect(await client.call("execute_command", { command: "op me" })).toMatchObject({
    code: "INVALID_COMMAND",
  });
  const two = await link("two");
  expect(await client.call("get_server_info")).toMatchObject({ code: "INVALID_ARGS" });
  expect(one.requests.length).toBe(before);
  void client.call("get_server_info", { server: "two" });
  await two.until(() => two.requests.length === 1);
  two.drop();
  await client.until(
    () => client.answers.at(-1)?.outcome.ok === false && client.answers.length > 4,
  );
  expect(client.answers.at(-1)?.outcome).toMatchObject({ code: "CONNECTION_ERROR" });
  const records = bridge.audit.trail.recent().filter(({ client: name }) => name === "look");
  const sent = records.filter(({ tool }) => tool === "send_message");
  expect(sent).toMatchObject([{ outcome: "refused" }]);
});

it("what is not valid is answered with SCHEMA_ERROR, and twenty in a row end the connection", async () => {
  const { url } = await startScene();
  const client = await GameClient.connect(url, "t-all");
  client.send('{"id":"bad"}');
  await client.until(() => client.answers.length === 1);
  expect(client.answers).toMatchObject([{ id: "bad", outcome: { code: "SCHEMA_ERROR" } }]);
  expect(await client.call("hello")).toMatchObject({ ok: true });
  for (let n = 0; n < 20; n++) client.send("nonsense");
  await client.until(() => client.closed !== undefined);
  expect(client.closed).toBe(1_008);
});

// Feature: minecraft-mcp-bridge, Property 17: Event subscription filtering
it("Property 17: a client of the protocol gets an event if and only if its own filter has the type", async () => {
  const { url, link } = await startScene();
  const mods = [await link("one"), await link("two")];
  const clients = [await GameClient.connect(url, "t-all"), await GameClient.connect(url, "t-look")];
  const filter = fc.subarray([...eventTypes]);
  const stalls = stallMeter();
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(filter, filter),
      fc.array(fc.tuple(fc.constantFrom(0, 1), gameEvent), { maxLength: 6 }),
      async (filters, happening) => {
        for (const [n, client] of clients.entries()) {
          client.events.length = 0;
          const eventTypes = filters[n] ?? [];
          expect(await client.call("subscribe_events", { eventTypes })).toMatchObject({ ok: true });
        }
        stalls.take();
        const sent: { mod: number; event: AnyEvent; at: number }[] = [];
        for (const [mod, event] of happening) {
          sent.push({ mod, event, at: performance.now() });
          await sendEvent(mods[mod] as FakeMod, event);
        }
        const wanted = filters.map((types: string[]) =>
          sent.filter(({ event }) => types.length === 0 || types.includes(event.eventType)),
        );
        for (const [n, client] of clients.entries()) {
          await client.until(() => client.events.length >= (wanted[n]?.length ?? 0));
        }
        const stalled = stalls.take();
        for (const [n, client] of clients.entries()) {
          for (const [mod, name] of ["one", "two"].entries()) {
            const got = client.events.filter(({ server }) => server === name);
            const due = wanted[n]?.filter((one) => one.mod === mod) ?? [];
            expect(got.map(({ payload }) => payload.data)).toEqual(
              due.map(({ event }) => event.data),
            );
            for (const [index, { at }] of got.entries()) {
              expect(at - (due[index]?.at ?? 0) - stalled).toBeLessThan(100);
            }
          }
        }
      },
    ),
    { numRuns: 100 },
  );
});

it("a server that links later is followed from its first event on, each event once and in order", async () => {
  const { url, link } = await startScene();
  const client = await GameClient.connect(url, "t-all");
  await client.call("subscribe_events", { eventTypes: ["player_chat"] });
  const say = (mod: FakeMod, count: number) => {
    for (let n = 0; n < count; n++) mod.event("player_chat", { player: "Steve", message: `${n}` });
    mod.event("player_join", { player: "Steve", uuid: null });
  };
  // That a second one links is announced later than its first events come.
  for (const name of ["first", "second"]) say(await link(name), 10);
  await client.until(() => client.events.length === 20);
  for (const name of ["first", "second"]) {
    const own = client.events.filter(({ server }) => server === name);
    expect(own.map(({ payload }) => payload.eventType)).toEqual(Array(10).fill("player_chat"));
    expect(own.map(({ payload }) => (payload.data as { message: string }).message)).toEqual(
      Array.from({ length: 10 }, (_, n) => `${n}`),
    );
  }
});

it("a client gets nothing that happened before it connected", async () => {
  const { url, link } = await startScene();
  const mod = await link("survival");
  await sendEvent(mod, { ...chat("before"), timestamp: Date.now() - 1_000 });
  mod.drop();
  const client = await GameClient.connect(url, "t-all");
  await client.call("subscribe_events");
  const again = await link("survival");
  again.event("player_chat", { player: "Steve", message: "after" });
  await client.until(() => client.events.length === 1);
  expect(client.events[0]?.payload.data).toMatchObject({ message: "after" });
});

const chat = (message: string): AnyEvent => ({
  eventType: "player_chat",
  timestamp: Date.now(),
  data: { player: "Steve", message },
});
