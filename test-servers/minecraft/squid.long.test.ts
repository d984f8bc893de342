// A real Minecraft server with a plugin that implements the dialect, real players on it, a real
// bridge and a real client.
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SpawnedProgram, spawnProgram } from "../../apps/bridge/test/helpers/spawn-bridge.js";
import {
  connect,
  type ServerBridge,
  startServerBridge,
  token,
} from "../../apps/bridge/test/server/helpers.js";
import { toolNames } from "../../packages/protocol/src/minecraft/index.js";

const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

interface Event {
  event: string;
  data: Record<string, unknown>;
}

async function startGame(settings: object = {}) {
  const bridge = await startServerBridge({
    minecraftTools: [...toolNames],
    minecraftCommands: "^.{1,256}$",
  });
  const port = await freePort();
  const options = { port, url: bridge.serversUrl, token, ...settings };
  const game = spawnProgram([JSON.stringify(options)], {}, [
    process.execPath,
    script("server.mjs"),
  ]);
  await game.line((line) => line.includes("listening"));
  const { call } = await connect(bridge);
  await expect.poll(async () => (await call("list-servers")).text).toContain("squid: live");
  return { bridge, game, port, call };
}

async function join(port: number, username: string) {
  const bot = spawnProgram([JSON.stringify({ port, username })], {}, [
    process.execPath,
    script("bot.mjs"),
  ]);
  await bot.line((line) => line === "spawned");
  const order = (what: object) => bot.child.stdin.write(`${JSON.stringify(what)}\n`);
  return { ...bot, order };
}

type Call = Awaited<ReturnType<typeof connect>>["call"];

async function next(call: Call, types: string[], cursor = 0) {
  const { structuredContent } = await call("wait-for-server-event", {
    server: "squid",
    types,
    cursor,
    waitMs: 30_000,
  });
  return structuredContent as { event?: Event; cursor: number };
}

async function readAll(call: Call, count: number): Promise<Event[]> {
  const events: Event[] = [];
  for (let cursor = 0; events.length < count; ) {
    await next(call, [], cursor);
    const { structuredContent } = await call("get-server-events", {
      server: "squid",
      cursor,
      limit: 100,
    });
    const page = structuredContent as unknown as { events: Event[]; cursor: number };
    events.push(...page.events);
    cursor = page.cursor;
  }
  return events;
}

describe("a real server with a plugin", () => {
  it("serves the eight tools and sends the five events, with players on it", async () => {
    const { port, call } = await startGame({ patterns: ["kill \\w{1,16}", "time set \\d{1,5}"] });
    const steve = await join(port, "Steve");
    expect((await next(call, ["player_join"])).event?.data).toMatchObject({ player: "Steve" });
    expect((await call("get_online_players")).text).toBe("1 on server squid: Steve");
    expect((await call("get_player_info", { player: "Steve" })).text).toContain("health 20");
    expect((await call("get_server_info")).text).toMatch(/players 1 of 20.*weather unknown/s);
    await call("give_item", { player: "Steve", item: "minecraft:diamond", quantity: 5 });
    expect((await call("get_player_info", { player: "Steve" })).text).toContain(
      "5 minecraft:diamond",
    );
    await call("teleport_player", { player: "Steve", x: 4.5, y: 6, z: 4.5 });
    await steve.line((line) => line.startsWith("moved 4.5,"));
    const around = await call("get_world_info", { x: 4, y: 4, z: 4, radius: 3 });
    expect(around.text).toMatch(/minecraft:grass_block/);
    expect(around.text).toContain('"Steve"');
    await call("send_message", { message: "hello from the client", target: "Steve" });
    await steve.line((line) => line.includes("heard hello from the client"));
    steve.order({ do: "chat", messages: ["hello <from> the game"] });
    expect((await next(call, ["player_chat"])).event?.data).toEqual({
      player: "Steve",
      message: "hello <from> the game",
    });
    steve.order({ do: "dig", location: { x: 4, y: 3, z: 4 } });
    expect((await next(call, ["block_break"])).event?.data).toMatchObject({
      player: "Steve",
      blockType: expect.stringMatching(/^minecraft:/),
      location: { world: "minecraft:overworld", x: 4, y: 3, z: 4 },
    });
    expect((await call("execute_command", { command: "/kill Steve" })).isError).toBeUndefined();
    expect((await next(call, ["player_death"])).event?.data).toMatchObject({
      player: "Steve",
      location: { world: "minecraft:overworld" },
    });
    const missing = await call("give_item", { player: "Nobody", item: "stone", quantity: 1 });
    expect(missing.text).toContain("PLAYER_NOT_FOUND");
    steve.order({ do: "quit" });
    expect((await next(call, ["player_quit"])).event?.data).toMatchObject({ player: "Steve" });
  });

  it("comes back to a bridge that was restarted, with what players did meanwhile", async () => {
    const { bridge, game, port } = await startGame();
    const steve = await join(port, "Steve");
    await bridge.close();
    await game.line((line) => line.includes("not linked"));
    steve.order({ do: "chat", messages: ["anybody there?"] });
    await steve.line((line) => line.includes("anybody there?"));
    const second: ServerBridge = await startServerBridge({ linkPort: bridge.linkPort });
    const { call } = await connect(second);
    await expect
      .poll(async () => (await call("list-servers")).text, { timeout: 30_000 })
      .toContain("squid: live");
    expect((await next(call, ["player_chat"])).event?.data).toMatchObject({
      message: "anybody there?",
    });
  });

  it("sends what many players say at once, all of it and in order for each", async () => {
    const { port, call } = await startGame();
    const names = ["Ann", "Ben", "Cat"];
    const players: (SpawnedProgram & { order(what: object): boolean })[] = [];
    for (const name of names) players.push(await join(port, name));
    const lines = Array.from({ length: 150 }, (_, n) => `line ${n}`);
    const started = performance.now();
    for (const player of players) player.order({ do: "chat", messages: lines });
    const events = await readAll(call, names.length * (lines.length + 1));
    const seconds = (performance.now() - started) / 1_000;
    const chat = events.filter(({ event }) => event === "player_chat");
    for (const name of names) {
      const said = chat.filter(({ data }) => data.player === name).map(({ data }) => data.message);
      expect(said).toEqual(lines);
    }
    console.log(`${chat.length} events in ${seconds.toFixed(2)} s`);
  });
});

// Feature: minecraft-mcp-bridge, Property 6: Event filtering by configuration
it("Property 6, of the plugin: an event that is not enabled is not sent", async () => {
  const { port, call } = await startGame({ events: ["player_chat"] });
  const steve = await join(port, "Steve");
  await fc.assert(
    fc.asyncProperty(fc.stringMatching(/^[a-z]{1,20}$/), async (message) => {
      steve.order({ do: "dig", location: { x: 4, y: 3, z: 4 } });
      steve.order({ do: "chat", messages: [message] });
      await steve.line((line) => line === `heard <Steve> ${message}`);
    }),
    { numRuns: 100 },
  );
  const events = await readAll(call, 100);
  expect(new Set(events.map(({ event }) => event))).toEqual(new Set(["player_chat"]));
});

// Feature: minecraft-mcp-bridge, Property 7: Command whitelist enforcement
// Feature: minecraft-mcp-bridge, Property 15: Command failure logging
it("Properties 7 and 15, of the plugin: what no pattern fits is refused, and logged with the reason", async () => {
  const { game, call } = await startGame({ patterns: ["time set \\d{1,5}"] });
  const text = fc
    // A bare slash would already be refused by the bridge.
    .stringMatching(/^[!-.0-~][ -~]{0,59}$/)
    .filter((command) => !/^time set \d{1,5}$/.test(command));
  await fc.assert(
    fc.asyncProperty(text, async (command) => {
      const { text: said, isError } = await call("execute_command", { command });
      expect(isError).toBe(true);
      expect(said).toContain(`INVALID_COMMAND on server squid: "not allowed"`);
      const logged = JSON.stringify({ command }).replace(/\s+/g, " ");
      await game.line((line) => line.includes(`failed execute_command ${logged}: not allowed`));
    }),
    { numRuns: 100 },
  );
});
