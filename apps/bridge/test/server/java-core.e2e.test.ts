// The Java core of the server mods (mods/core) as a process with a scripted game, linked to the
// built bridge, seen by a real client.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { type SpawnedBridge, spawnBridge } from "../helpers/spawn-bridge.js";
import { eventsOf, token } from "./helpers.js";
import { compileCore, missingJava, spawnServer } from "./java-process.js";

const tools =
  "get_online_players,get_player_info,get_server_info,get_world_info,send_message,teleport_player,give_item,set_blocks,fill_blocks,find_blocks";
const settings = {
  MINECRAFT_TOKENS: token,
  MINECRAFT_TOOLS: tools,
  MCP_STRUCTURED: "on",
  // The bridge allows every command, so refusals are those of the core.
  MINECRAFT_COMMANDS: "[^]*",
};
const patterns = "[commands]\nallowed_patterns = ['^say [a-z ]+$', '^list$', '^fail$']\n";

const bypasses = [
  "op Steve",
  "//list",
  " list",
  "list ",
  "minecraft:list",
  "minecraft:op Steve",
  "execute run list",
  "execute as @a run op Steve",
  "return run list",
  "function evil:all",
  "say hi; op Steve",
  "l\u0456st",
  "list\u200b",
  "LIST",
];

let core: ReturnType<typeof compileCore>;

async function clientOf(bridge: SpawnedBridge) {
  const client = await connectClient(bridge.mcpUrl);
  return (name: string, args: object = {}) => callTool(client, name, { ...args });
}

async function startScene(toml = patterns) {
  const bridge = await spawnBridge([], settings);
  const server = spawnServer(core.classes, `${bridge.linkUrl}/minecraft`, toml);
  await server.linked();
  return { bridge, server, call: await clientOf(bridge) };
}

describe.skipIf(missingJava !== undefined)(
  `a server with the mod's core${missingJava === undefined ? "" : ` (skipped: ${missingJava})`}`,
  () => {
    beforeAll(() => {
      core = compileCore();
    });
    afterAll(() => core?.remove());

    it("serves all eight tools", async () => {
      const { server, call } = await startScene();
      await server.play({ do: "join", player: "Steve" });
      await server.play({ do: "cow" });
      expect((await call("list-servers")).text).toMatch(
        /minecraft: live; "NeoForge 1\.21\.1.*mod/s,
      );
      expect((await call("get_online_players")).text).toBe("1 on server minecraft: Steve");
      const player = await call("get_player_info", { player: "steve" });
      expect(player.text).toContain("10.5, 64, -3.25 in minecraft:overworld");
      expect((await call("get_server_info")).text).toContain("Minecraft 1.21.1\nplayers 1 of 20");
      const world = await call("get_world_info", { x: 10, y: 64, z: -3, radius: 16 });
      expect(world.text).toContain("minecraft:cow at 10.5, 64, -3.25");
      expect(world.text).toContain("minecraft:grass_block");
      expect(
        (await call("send_message", { message: 'hi "you" ✓', target: "Steve" })).text,
      ).toContain("Sent");
      await call("teleport_player", { player: "Steve", x: 1, y: 70, z: 2, world: "nether" });
      await call("give_item", { player: "Steve", item: "minecraft:diamond", quantity: 3 });
      expect((await call("execute_command", { command: "/list" })).text).toContain("Steve");
      const state = await server.play({ do: "state" });
      expect(state).toMatchObject({
        messages: ['hi "you" ✓'],
        player: {
          location: { world: "minecraft:the_nether", x: 1, y: 70, z: 2 },
          inventory: [{ type: "minecraft:diamond", quantity: 3 }],
        },
      });
    });

    it("runs a batch, and stops where a command fails", async () => {
      const { server, call } = await startScene();
      const commands = ["say one", "fail", "say two"];
      expect((await call("execute_commands", { commands })).text).toMatch(
        new RegExp(texts.ranOfCommandsDoneInvalid),
      );
      const all = await call("execute_commands", { commands, stopOnFailure: false });
      expect(all.text).toMatch(/^Ran 3 of 3 commands on server minecraft; 1 failed\./);
      const ran = ["say one", "fail", "say one", "fail", "say two"];
      expect(await server.play({ do: "state" })).toMatchObject({ ran });
    });

    it("sets, fills and finds blocks, and says what was there before", async () => {
      const { call } = await startScene();
      const box = { from: "1 64 0", to: "0 62 0", block: "glass" };
      const dry = await call("fill_blocks", { ...box, dryRun: true });
      expect(dry.text).toContain(texts.nothingWasDoneItWouldChange);
      expect(dry.text).toContain("- 2 minecraft:grass_block to glass");
      const filled = await call("fill_blocks", box);
      expect(filled.structuredContent).toMatchObject({
        changed: 6,
        before: {
          world: "minecraft:overworld",
          palette: ["minecraft:stone", "minecraft:grass_block", "minecraft:air"],
          runs: [0, 62, 0, 2, 0, 0, 63, 0, 2, 1, 0, 64, 0, 2, 2],
          exact: true,
        },
      });
      const blocks = ["0 64 0 minecraft:glass", "0, 65, 0 torch"];
      expect((await call("set_blocks", { blocks })).text).toContain(
        texts.changedBlockOnServerMinecraft,
      );
      const found = await call("find_blocks", { ...box, block: "glass", limit: 1 });
      expect(found.text).toBe("6 glass on server minecraft:\n0, 62, 0; and 5 more");
      const undone = await call("undo-change", { since: "1h", dryRun: false });
      expect(undone.text).toContain("Undone: 2 changes.");
      const again = await call("fill_blocks", { ...box, dryRun: true });
      expect(again.text).toBe(dry.text);
    });

    it("says why something failed, to the client and in its log", async () => {
      const { server, call } = await startScene();
      const gone = await call("teleport_player", { player: "Gone", x: 1, y: 2, z: 3 });
      expect(gone.text).toContain(texts.playerNotFoundOnServer);
      const failed = await call("execute_command", { command: "fail" });
      expect(failed.text).toContain("INVALID_COMMAND");
      const line = await server.line((text) => text.includes('args={"command":"fail"}'));
      expect(line).toMatch(/^WARN failed .*code="INVALID_COMMAND" message=.* stack="/);
    });

    it("reports all five events", async () => {
      const { server, call } = await startScene();
      await server.play({ do: "join", player: "Alex" });
      await server.play({ do: "chat", player: "Alex", message: "<Steve> joined the game 😀" });
      await server.play({ do: "break", player: "Alex" });
      await server.play({ do: "death", player: "Alex", killer: "Zombie" });
      await server.play({ do: "quit", player: "Alex" });
      const events = await eventsOf(call, 5);
      expect(events.map(({ event }) => event)).toEqual([
        "player_join",
        "player_chat",
        "block_break",
        "player_death",
        "player_quit",
      ]);
      expect(events[1]?.data).toEqual({ player: "Alex", message: "<Steve> joined the game 😀" });
      expect(events[2]?.data).toMatchObject({
        blockType: "minecraft:stone",
        location: { world: "minecraft:overworld", x: 1, y: 63, z: 2 },
      });
      expect(events[3]?.data).toMatchObject({ killer: "Zombie" });
    });

    it("offers tools and reports events of other mods", async () => {
      const { server, call } = await startScene();
      await server.play({ do: "tool", name: "say_back" });
      await server.play({ do: "event", name: "shop:sold" });
      await expect.poll(async () => (await call("list-servers")).text).toContain("shop:sold");
      expect(await server.play({ do: "emit", name: "shop:sold", data: { price: 3 } })).toBe(true);
      expect(await eventsOf(call, 1)).toMatchObject([{ event: "shop:sold", data: { price: 3 } }]);
      await expect
        .poll(async () => (await call("call-offered-tool", { name: "say_back" })).text)
        .toMatch(/^Server minecraft answers say_back:\n\| \{\}/);
    });

    it("carries 500 events a second, in order and without loss", async () => {
      const { server, call } = await startScene();
      const seconds = 3;
      const started = performance.now();
      for (let tick = 0; tick < seconds * 20; tick++) {
        await server.play({ do: "chats", count: 25 });
        const wait = started + (tick + 1) * 50 - performance.now();
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
      const events = await eventsOf(call, seconds * 500);
      expect(events).toHaveLength(seconds * 500);
      expect(events.map(({ data }) => data.message)).toEqual(
        Array.from({ length: seconds * 500 }, (_, index) => `line ${index % 25}`),
      );
    });

    it("links again after kill -9 of the bridge, and brings what happened meanwhile", async () => {
      const first = await startScene();
      const { linkPort } = first.bridge;
      await first.server.play({ do: "chat", message: "before" });
      await eventsOf(first.call, 1);
      await first.bridge.kill("SIGKILL");
      await first.server.play({ do: "chats", count: 50 });
      const bridge = await spawnBridge([], { ...settings, CC_LINK_PORT: String(linkPort) });
      await first.server.linked(2);
      const call = await clientOf(bridge);
      const events = await eventsOf(call, 50);
      expect(events.map(({ data }) => data.message)).toEqual(
        Array.from({ length: 50 }, (_, index) => `line ${index}`),
      );
      expect((await call("get_server_info")).text).toContain("1.21.1");
    });

    it("refuses commands that its own patterns do not fit, whatever the bridge allows", async () => {
      const { server, call } = await startScene();
      for (const command of bypasses) {
        expect((await call("execute_command", { command })).text).toContain("INVALID_COMMAND");
      }
      expect(await server.play({ do: "state" })).toMatchObject({ ran: [] });
    });

    it("stops with a goodbye when the game server ends", async () => {
      const { bridge, server, call } = await startScene();
      server.child.stdin.end();
      expect(await server.exited).toMatchObject({ code: 0 });
      await expect.poll(async () => (await call("list-servers")).text).not.toContain("live");
      expect(bridge.child.exitCode).toBeNull();
    });
  },
);
