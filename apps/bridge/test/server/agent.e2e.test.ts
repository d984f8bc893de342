// The server agent as a separate process, next to a fake server, linked to a real bridge, seen by a
// real client.
import {
  ResourceUpdatedNotificationSchema,
  type TextResourceContents,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { FakeMsmp } from "../../../minecraft-agent/test/fake-server/msmp.js";
import { freePort } from "../helpers/ports.js";
import { builtProgram } from "../helpers/spawn-bridge.js";
import { configure, spawnAgent, startGame } from "./agent-process.js";
import { connect, eventsOf, type ServerBridge, startServerBridge, token } from "./helpers.js";

const everything = {
  minecraftTools: ["teleport_player", "give_item", "send_message", "fill_blocks"],
  minecraftCommands: "^say .{1,80}$;;^list$;;^fail$",
} as const;

const patterns = "[commands]\nallowed_patterns = ['^list$']";

function linked(bridge: ServerBridge): Promise<void> {
  return new Promise((resolve) => {
    const stop = bridge.registry.changes.subscribe(({ topic }) => {
      if (topic !== "linked") return;
      stop();
      resolve();
    });
  });
}

async function startScene(toml = "", options: { msmp?: boolean } = {}) {
  const game = await startGame();
  const steve = game.world.addPlayer("Steve", { position: [10.5, 64, -3.25] });
  configure(game, toml);
  const msmp = options.msmp ? await FakeMsmp.start(game.world) : undefined;
  if (msmp !== undefined) {
    onTestFinished(() => msmp.close());
    game.writeProperties({
      "management-server-enabled": "true",
      "management-server-port": msmp.port,
      "management-server-secret": msmp.secret,
      "management-server-tls-enabled": "false",
    });
  }
  const bridge = await startServerBridge({
    ...everything,
    minecraftTools: [
      ...everything.minecraftTools,
      "get_online_players",
      "get_player_info",
      "get_server_info",
      "get_world_info",
    ],
  });
  const ready = linked(bridge);
  const agent = spawnAgent(game, bridge.serversUrl);
  await ready;
  const { client, call } = await connect(bridge);
  return { game, steve, msmp, bridge, agent, client, call };
}

describe("an unmodified server with the agent beside it", () => {
  it("serves all eight tools, and reports what it cannot know", async () => {
    const { game, steve, call } = await startScene(patterns);
    game.world.entities.push({
      type: "minecraft:cow",
      name: "Cow",
      position: [12, 64, -3],
      dimension: "minecraft:overworld",
    });
    expect((await call("list-servers")).text).toMatch(
      new RegExp(texts.minecraftLiveVanillaByRcon, "s"),
    );
    expect((await call("get_online_players")).text).toBe("1 on server minecraft: Steve");
    const player = await call("get_player_info", { player: "steve" });
    expect(player.text).toContain("10.5, 64, -3.25 in minecraft:overworld");
    const server = await call("get_server_info");
    expect(server.text).toMatch(/Minecraft 1\.21\.11\nplayers 1 of 20\ntime of day 6123, weather/);
    const world = await call("get_world_info", { x: 10, y: 64, z: -3, radius: 5 });
    expect(world.text).toContain("minecraft:cow at 12, 64, -3");
    expect(world.text).toContain(texts.blocksCannotBeRead);
    expect((await call("send_message", { message: "hi", target: "Steve" })).text).toContain("Sent");
    expect(steve.messages).toEqual(["hi"]);
    await call("teleport_player", { player: "Steve", x: 1, y: 70, z: 2, world: "nether" });
    expect([steve.position, steve.dimension]).toEqual([[1, 70, 2], "minecraft:the_nether"]);
    await call("give_item", { player: "Steve", item: "minecraft:diamond", quantity: 3 });
    expect(steve.inventory.at(-1)).toContain("count: 3");
    expect((await call("execute_command", { command: "/list" })).text).toContain("There are 1 of");
    expect(game.world.commands.at(-1)).toBe("list");
    expect(game.rcon.violations).toBe(0);
  });

  it("changes blocks, and puts back what it could know of them", async () => {
    const { game, call } = await startScene(patterns);
    const { blocks } = game.world;
    blocks.set("minecraft:overworld 1 64 0", "minecraft:stone");
    blocks.set("minecraft:overworld 2 64 0", "minecraft:dragon_egg");
    const start = new Map(blocks);
    const box = { from: "0 64 0", to: "3 64 0", block: "minecraft:diamond_block" };
    expect((await call("fill_blocks", box)).text).toContain("Changed 4 blocks");
    const listed = (await call("list-changes")).text;
    expect(listed).toContain("2 minecraft:air, 1 minecraft:stone");
    expect(listed).toContain("1 of an unknown kind");
    const undone = await call("undo-change", { since: "1h", dryRun: false });
    expect(undone.text).toContain("Undone: 1 change.");
    start.set("minecraft:overworld 2 64 0", "minecraft:diamond_block");
    for (const x of [0, 3]) start.set(`minecraft:overworld ${x} 64 0`, "minecraft:air");
    expect(blocks).toEqual(start);
  });

  it("refuses what only one of the two sides allows, and reports what the game refused", async () => {
    const { game, call } = await startScene("[commands]\nallowed_patterns = ['^op .*$', '^fail$']");
    for (const command of ["op Steve", "say hi"]) {
      const { text, isError } = await call("execute_command", { command });
      expect(isError).toBe(true);
      expect(text).toContain("INVALID_COMMAND");
      expect(text).toContain(command === "op Steve" ? "MINECRAFT_COMMANDS" : "allowed_patterns");
    }
    expect(game.world.commands).not.toContain("op Steve");
    expect(game.world.commands).not.toContain("say hi");
    const failed = await call("execute_command", { command: "fail" });
    expect(failed.text).toMatch(/SERVER_ERROR on server minecraft: "Error executing: fail/);
    const missing = await call("get_player_info", { player: "Nobody" });
    expect(missing.text).toMatch(/PLAYER_NOT_FOUND.*get_online_players/s);
  });

  it("reports what happens, in order and with all fields, as events and as resources", async () => {
    const { game, client, call } = await startScene();
    const uri = "minecraft://servers/minecraft/events/player_death";
    const updated = new Promise<string>((resolve) =>
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
        resolve(params.uri),
      ),
    );
    await client.subscribeResource({ uri });
    const alex = game.join("Alex");
    await eventsOf(call, 1);
    game.log.chat("Alex", "hello <Steve> left the game");
    alex.health = 0;
    alex.lastDeath = { pos: [4, 65, -9], dimension: "minecraft:the_nether" };
    game.log.say("Alex was slain by Steve");
    await eventsOf(call, 3);
    game.quit("Alex");
    const events = await eventsOf(call, 4);
    expect(events.map(({ event, data, server }) => [server, event, data])).toEqual([
      ["minecraft", "player_join", { player: "Alex", uuid: alex.uuid }],
      ["minecraft", "player_chat", { player: "Alex", message: "hello <Steve> left the game" }],
      [
        "minecraft",
        "player_death",
        {
          player: "Alex",
          cause: "Alex was slain by Steve",
          location: { world: "minecraft:the_nether", x: 4, y: 65, z: -9 },
          killer: "Steve",
        },
      ],
      ["minecraft", "player_quit", { player: "Alex", uuid: alex.uuid }],
    ]);
    expect(await updated).toBe(uri);
    const read = async (address: string) => {
      const { contents } = await client.readResource({ uri: address });
      return JSON.parse((contents[0] as TextResourceContents).text);
    };
    expect((await read(uri)).events).toHaveLength(1);
    expect((await read("minecraft://servers/minecraft/events")).events).toHaveLength(4);
    expect((await read("minecraft://servers")).servers).toMatchObject([{ server: "minecraft" }]);
  });

  it("loses nothing and reports nothing twice when its link drops again and again", async () => {
    const { game, bridge, call } = await startScene();
    const sent: string[] = [];
    const say = (count: number) => {
      for (let n = 0; n < count; n++) {
        sent.push(`line ${sent.length}`);
        game.log.chat("Steve", sent.at(-1) ?? "");
      }
    };
    for (let drop = 0; drop < 3; drop++) {
      say(40);
      const again = linked(bridge);
      for (const session of bridge.registry.sessions()) session.close("disconnected", "a test");
      say(40);
      await again;
    }
    const events = await eventsOf(call, sent.length);
    expect(events.map(({ data }) => data.message)).toEqual(sent);
  });

  it("comes back to a bridge that was restarted, with what happened meanwhile", async () => {
    const game = await startGame();
    configure(game);
    const first = await startServerBridge({ linkPort: await freePort() });
    const ready = linked(first);
    const agent = spawnAgent(game, first.serversUrl);
    await ready;
    await first.close();
    await agent.line((line) => line.includes("not linked to the bridge"));
    game.log.chat("Steve", "is anybody there?");
    const second = await startServerBridge({ linkPort: first.linkPort });
    const { call } = await connect(second);
    // It may link before the client polls.
    await expect.poll(async () => (await call("list-servers")).text).toContain("minecraft: live");
    expect(await eventsOf(call, 1)).toMatchObject([{ data: { message: "is anybody there?" } }]);
  });

  it("reports that the game is down, and serves again when it is back", async () => {
    const { game, agent, call } = await startScene(patterns);
    const { port } = game.rcon;
    await game.rcon.close();
    const away = await call("execute_command", { command: "list" });
    expect(away.isError).toBe(true);
    expect(away.text).toMatch(/CONNECTION_ERROR/);
    game.log.rotate();
    await game.rcon.listen(port);
    game.log.chat("Steve", "back again");
    const known = agent.lines.length;
    await agent.line((line) => agent.lines.indexOf(line) >= known && /RCON connected/.test(line));
    expect((await call("execute_command", { command: "list" })).text).toContain("There are 1");
    expect(await eventsOf(call, 1)).toMatchObject([{ data: { message: "back again" } }]);
  });

  it("believes the management protocol more than the log", async () => {
    const { game, msmp, call } = await startScene("", { msmp: true });
    await expect.poll(() => msmp?.connects).toBe(1);
    expect((await call("list-servers")).text).toContain("RCON + log + management protocol");
    expect((await call("get_online_players")).text).toContain("Steve");
    game.log.say("Ghost joined the game");
    const alex = game.world.addPlayer("Alex");
    msmp?.notify("minecraft:notification/players/joined", [{ id: alex.uuid, name: "Alex" }]);
    expect(await eventsOf(call, 1)).toMatchObject([
      { event: "player_join", data: { player: "Alex", uuid: alex.uuid } },
    ]);
  });

  it("applies changes of its file while it runs: another name, fewer tools and events", async () => {
    const { game, bridge, call } = await startScene();
    const again = linked(bridge);
    configure(
      game,
      `[server]\nname = "creative"\n[commands]\ntools = ["get_online_players"]\n[events]\nenabled = ["player_chat"]`,
    );
    await again;
    await expect.poll(async () => (await call("list-servers")).text).toContain("creative: live");
    const { text, isError } = await call("give_item", {
      server: "creative",
      player: "Steve",
      item: "stone",
      quantity: 1,
    });
    expect(isError).toBe(true);
    expect(text).toContain("Server creative cannot do give_item");
  });

  it("stops cleanly, and its log has messages but no secrets", async () => {
    const { game, agent, bridge, call } = await startScene();
    await call("get_online_players");
    game.log.chat("Steve", `the token is ${token}`);
    await eventsOf(call, 1);
    const gone = new Promise<void>((resolve) => {
      bridge.registry.changes.subscribe(({ topic }) => topic === "unlinked" && resolve());
    });
    expect((await agent.kill("SIGTERM")).code).toBe(0);
    await gone;
    const log = agent.lines.join("\n");
    expect(log).toMatch(/ccbridge-minecraft-agent version="/);
    expect(log).toMatch(/forwarded type="query" source="mcp" to="minecraft"/);
    expect(log).toMatch(/forwarded type="event" source="minecraft" to="bridge"/);
    expect(log).not.toContain(token);
    expect(log).not.toContain(game.rcon.password);
    expect(agent.stderr()).toBe("");
  });

  it("does not start with the example token, and says why a wrong one fails", async () => {
    const game = await startGame();
    configure(game);
    const bridge = await startServerBridge();
    const known = spawnAgent(game, bridge.serversUrl, { authToken: "secret" });
    expect((await known.exited).code).toBe(1);
    expect(known.stderr()).toContain("which everybody knows");
    const wrong = spawnAgent(game, bridge.serversUrl, { authToken: "not-the-token" });
    expect(await wrong.line((line) => line.includes("not linked"))).toContain("401");
  });

  it("may be started by the bridge's own program", async () => {
    const game = await startGame();
    configure(game);
    const bridge = await startServerBridge();
    const ready = linked(bridge);
    const command = [process.execPath, builtProgram(), "minecraft-agent"];
    const agent = spawnAgent(game, bridge.serversUrl, { command });
    await ready;
    expect((await agent.kill("SIGTERM")).code).toBe(0);
    expect(agent.lines.at(-1)).toContain("stopped");
  });
});
