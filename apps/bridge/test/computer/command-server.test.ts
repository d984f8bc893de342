// A command computer in the game that offers its Minecraft server: the real program, bridge and
// client, with a fake game.
import type { World } from "@ccbridge/cc-host";
import { toolNames } from "@ccbridge/protocol/minecraft";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { answerTo } from "../../../minecraft-agent/test/fake-server/commands.js";
import { FakeWorld } from "../../../minecraft-agent/test/fake-server/world.js";
import { serverCode } from "../../src/config/server-settings.js";
import type { Config } from "../../src/index.js";
import { tokenFile } from "../dashboard/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { freePort } from "../helpers/ports.js";
import { recordingLogger } from "../helpers/recording-logger.js";
import { connect } from "../server/helpers.js";
import { linkGameComputer, placeComputer, screenText, startWorld } from "./helpers.js";

const refusals = /<--\[HERE\]|was found|^Unknown|^Invalid|^Can't|Test failed/;

const secret = "kept-on-the-disk-of-computer-7";
const allowed = { minecraftCommandComputers: [serverCode(7, secret)] };
const keys = { "/.mcp-computer.secret": `-- keys\n{ server = "${secret}" }` };

async function startServer(command = "--server survival", settings: Partial<Config> = {}) {
  const bridge = await startTestBridge({
    tools: ["all", "minecraft"],
    minecraftTools: [...toolNames],
    minecraftCommands: "^list$;;^op .*$",
    ...allowed,
    ...settings,
  });
  const world = await startWorld();
  const game = new FakeWorld();
  const computer = await placeServer(world, game, keys);
  const linked = new Promise<void>((resolve) => {
    bridge.registry.changes.subscribe((change) => {
      if (change.topic === "linked" && change.provider.kind === "minecraft") resolve();
    });
  });
  computer.type(`mcp-computer ${bridge.linkUrl} ${command}\n`);
  await linked;
  const { call } = await connect(bridge, "t-all");
  return { bridge, world, computer, game, call };
}

function placeServer(world: World, game: FakeWorld, files: Record<string, string> = {}) {
  return placeComputer(world, {
    id: 7,
    label: "spawn",
    kind: "command",
    files,
    commands: {
      onCommand: (line) => {
        const text = answerTo(game, line);
        return { ok: !refusals.test(text), output: text === "" ? [] : text.split("\n") };
      },
    },
  });
}

interface Page {
  events: { event: string; data: Record<string, unknown> }[];
}

describe("a command computer with --server", () => {
  it("runs a batch of commands", async () => {
    const { game, call } = await startServer();
    const commands = ["list", "op Steve", "list"];
    const { text } = await call("execute_commands", { commands });
    expect(text).toMatch(/^Ran 2 of 3 commands on server survival; 1 failed\./);
    expect(game.commands.filter((line) => commands.includes(line))).toEqual(["list", "op Steve"]);
  });

  it("changes blocks, finds them, and says what was there before", async () => {
    const { world, game, call } = await startServer();
    world.blocks.set({ x: 1, y: 64, z: 0 }, "minecraft:dirt");
    const box = { from: "2 64 0", to: "0 64 0", block: "stone" };
    const dry = await call("fill_blocks", { ...box, dryRun: true });
    expect(dry.text).toMatch(/It would change 3 blocks.*\+~\+$/s);
    const { structuredContent } = await call("fill_blocks", box);
    expect(structuredContent).toMatchObject({
      changed: 3,
      before: {
        palette: ["minecraft:air", "minecraft:dirt"],
        runs: [0, 64, 0, 1, 0, 1, 64, 0, 1, 1, 2, 64, 0, 1, 0],
        exact: false,
      },
    });
    const blocks = ["1 64 0 nonsense"];
    expect((await call("set_blocks", { blocks })).text).toContain("Unknown block type");
    const found = await call("find_blocks", { ...box, block: "dirt" });
    expect(found.text).toBe("1 dirt on server survival:\n1, 64, 0");
    const wide = { ...box, to: "20000 64 0" };
    expect((await call("find_blocks", wide)).text).toContain("too far apart");
    expect(game.commands.filter((line) => line.includes("fill"))).toEqual([
      texts.executeInMinecraftOverworldRun,
    ]);
    await call("undo-change", { since: "1h", dryRun: false });
    expect((await call("fill_blocks", { ...box, dryRun: true })).text).toBe(dry.text);
  });

  it("serves all eight tools, blocks included", async () => {
    const { world, game, call } = await startServer();
    const steve = game.addPlayer("Steve", { position: [10.5, 64, -3.25] });
    world.blocks.set({ x: 100, y: 64, z: 100 }, "minecraft:stone");
    world.blocks.set({ x: 108, y: 56, z: 92 }, "minecraft:gold_block");
    world.blocks.set({ x: 103, y: 64, z: 100 }, "minecraft:oak_log");
    expect((await call("list-servers")).text).toMatch(
      new RegExp(texts.survivalLiveByComputerLabel, "s"),
    );
    expect((await call("get_online_players")).text).toBe("1 on server survival: Steve");
    expect((await call("get_player_info", { player: "steve" })).text).toContain("10.5, 64, -3.25");
    expect((await call("get_server_info")).text).toMatch(/Minecraft 1\..*players 1 of 20/s);
    const near = await call("get_world_info", { x: 100, y: 64, z: 100, radius: 3 });
    expect(near.structuredContent).toMatchObject({
      world: {
        blocks: [
          { type: "minecraft:stone", location: { x: 100, y: 64, z: 100 } },
          { type: "minecraft:oak_log", location: { x: 103, y: 64, z: 100 } },
        ],
      },
    });
    // More than the game returns at once: requested in layers.
    const far = await call("get_world_info", { x: 100, y: 64, z: 100, radius: 16 });
    expect(far.text).toContain("3 blocks:");
    expect(far.text).toContain("1 minecraft:gold_block, one at 108, 56, 92");
    await call("send_message", { message: 'say "hi"', target: "Steve" });
    expect(steve.messages).toEqual(['say "hi"']);
    await call("teleport_player", { player: "Steve", x: 1, y: 70, z: 2 });
    expect(steve.position).toEqual([1, 70, 2]);
    await call("give_item", { player: "Steve", item: "stone", quantity: 3 });
    expect(steve.inventory).toHaveLength(1);
    expect((await call("execute_command", { command: "list" })).text).toContain("There are 1");
    const refused = await call("execute_command", { command: "op Steve" });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain("Unknown or incomplete command");
    const denied = await call("execute_command", { command: "say hi" });
    expect(denied.text).toContain("INVALID_COMMAND");
    expect(game.commands).not.toContain("say hi");
  });

  it("garbles no text: it escapes what it can, and refuses the rest", async () => {
    const { game, call } = await startServer(undefined, {
      minecraftCommands: "^(say|tellraw|title) .*$;;^list$",
    });
    const steve = game.addPlayer("Steve", {
      inventory: [
        `{Slot: 0b, id: "minecraft:bread", components: {"minecraft:custom_name": "łza"}}`,
      ],
    });
    const message = 'żółć ☃ 🎮 "quoted" \\u0041\nsecond line é';
    const sent = await call("send_message", { message, target: "Steve" });
    expect(sent.text).toContain("Sent to Steve");
    const long = "żółć☃🎮".repeat(140);
    await call("send_message", { message: long });
    expect(steve.messages).toEqual([message, long]);

    const before = game.commands.length;
    for (const text of ["żółć", "☃", "🎮", "é"]) {
      for (const command of [`say ${text}`, `tellraw @a {"text":"${text}"}`]) {
        const { isError, text } = await call("execute_command", { command });
        expect(isError, command).toBe(true);
        expect(text).toMatch(new RegExp(texts.nothingWasRunCommandComputer));
      }
      for (const [name, args] of [
        ["teleport_player", { player: text, x: 1, y: 2, z: 3 }],
        ["teleport_player", { player: "Steve", x: 1, y: 2, z: 3, world: text }],
        ["give_item", { player: text, item: "stone", quantity: 1 }],
        ["give_item", { player: "Steve", item: text, quantity: 1 }],
        ["get_player_info", { player: text }],
        ["send_message", { message: "hi", target: text }],
      ] as const) {
        const { isError, text } = await call(name, args);
        expect(isError, `${name} ${text}`).toBe(true);
        expect(text).toMatch(/not (a|an) \w+'s (name|id)/);
      }
    }
    const own = game.commands.slice(before).filter((command) => command !== "list uuids");
    expect(own).toEqual([]);
    const command = 'tellraw Steve {"text":"\\u017c \\ud83c\\udfae"}';
    expect((await call("execute_command", { command })).isError).toBeUndefined();
    expect(steve.messages.at(-1)).toBe("ż 🎮");
    const { text } = await call("get_player_info", { player: "Steve" });
    expect(text).toContain("?za");
    expect(text).toContain(texts.aMayStandFor);
  });

  it("reports joins, quits and chat near a chat box", async () => {
    const { computer, game, call } = await startServer();
    // The first poll only records the initial state.
    await expect
      .poll(() => game.commands.filter((line) => line === "list uuids").length)
      .toBeGreaterThan(1);
    const next = async (type: string) => {
      const { structuredContent } = await call("wait-for-server-event", {
        types: [type],
        cursor: 0,
        waitMs: 20_000,
      });
      return (structuredContent as { event?: Page["events"][number] }).event?.data;
    };
    const { uuid } = game.addPlayer("Alex");
    expect(await next("player_join")).toEqual({ player: "Alex", uuid });
    computer.queueEvent("chat", "Alex", "hello there", uuid, false);
    expect(await next("player_chat")).toEqual({ player: "Alex", message: "hello there" });
    game.removePlayer("Alex");
    expect(await next("player_quit")).toEqual({ player: "Alex", uuid });
  });

  it("is a server again after its link dropped, and loses and doubles no event", async () => {
    const { bridge, computer, game, call } = await startServer();
    await expect
      .poll(() => game.commands.filter((line) => line === "list uuids").length)
      .toBeGreaterThan(1);
    const read = async () =>
      (
        (await call("get-server-events", { server: "survival" }))
          .structuredContent as unknown as Page
      ).events;
    computer.queueEvent("chat", "Alex", "one", "", false);
    await expect.poll(async () => (await read()).length).toBe(1);
    const again = new Promise<void>((resolve) => {
      bridge.registry.changes.subscribe((change) => {
        if (change.topic === "linked" && change.provider.kind === "minecraft") resolve();
      });
    });
    for (const { key } of bridge.computers.list().map(({ provider }) => provider)) {
      bridge.registry.session(key)?.close("disconnected", "a test");
    }
    computer.queueEvent("chat", "Alex", "two", "", false);
    await again;
    computer.queueEvent("chat", "Alex", "three", "", false);
    await expect
      .poll(async () => (await read()).map(({ data }) => data.message))
      .toEqual(["one", "two", "three"]);
  });
});

it("a bridge that was restarted gets what happened meanwhile, and nothing that the earlier one had", async () => {
  const { bridge, computer, game, call } = await startServer(undefined, {
    linkPort: await freePort(),
  });
  await expect
    .poll(() => game.commands.filter((line) => line === "list uuids").length)
    .toBeGreaterThan(1);
  const chatOf = (caller: typeof call) => async () =>
    (
      (await caller("get-server-events", { server: "survival", types: ["player_chat"] }))
        .structuredContent as Page | undefined
    )?.events.map(({ data }) => data.message);
  computer.queueEvent("chat", "Alex", "one", "", false);
  await expect.poll(chatOf(call)).toEqual(["one"]);
  game.addPlayer("Bob");
  await call("wait-for-server-event", { types: ["player_join"], cursor: 0, waitMs: 20_000 });
  await bridge.close();
  computer.queueEvent("chat", "Alex", "two", "", false);
  const second = await startTestBridge({
    tools: ["all", "minecraft"],
    linkPort: bridge.linkPort,
    ...allowed,
  });
  const { call: callSecond } = await connect(second);
  await expect.poll(chatOf(callSecond)).toEqual(["two"]);
});

it("becomes a server once the owner has put the code of its screen into the settings", async () => {
  const { log, lines } = recordingLogger();
  const settings: Partial<Config> = { tools: ["all", "minecraft"], linkPort: await freePort() };
  const first = await startTestBridge(settings, log);
  const world = await startWorld();
  const computer = await placeServer(world, new FakeWorld());
  computer.type(`mcp-computer ${first.linkUrl} --server survival\n`);
  await computer.until(() => /MINECRAFT_COMMAND_COMPUTERS/.test(screenText(computer)));
  const [, code = ""] = /owner of the bridge allows it by adding (7-[0-9a-f]+) to/.exec(
    screenText(computer),
  ) as RegExpExecArray;
  expect(lines().map((line) => line.code)).toContain(code);
  const { call } = await connect(first);
  expect((await call("list-servers")).text).toContain("7 (Label: spawn) offers to be");
  await first.close();

  const second = await startTestBridge({ ...settings, minecraftCommandComputers: [code] });
  await computer.until(() => /the Minecraft server "survival"/.test(screenText(computer)));
  const { call: callSecond } = await connect(second);
  const { text } = await callSecond("list-servers");
  expect(text).toContain("survival: live");
  expect(text).not.toContain("offers to be");
});

it("only a command computer can be a server", async () => {
  const bridge = await startTestBridge();
  const world = await startWorld();
  const computer = await placeComputer(world);
  computer.type(`mcp-computer ${bridge.linkUrl} --server survival\n`);
  await computer.until(() => /only a command computer/.test(screenText(computer)));
});

it("a command computer is not a server unless it was configured as one", async () => {
  const bridge = await startTestBridge({ tools: ["all", "minecraft"] });
  await linkGameComputer(bridge, await startWorld(), { kind: "command" });
  const { call } = await connect(bridge);
  expect((await call("list-servers")).text).toContain(texts.noMinecraftServerIs);
});

it("is hidden from a token that may not see its computer", async () => {
  const { bridge, call, game } = await startServer(
    undefined,
    tokenFile(
      "t-all name=ann",
      "t-not name=bob computers=-7",
      "t-label name=lou computers=*,-label:sp*",
      "t-other name=kim computers=1,2",
      "t-server name=eve computers=server:survival",
    ),
  );
  expect((await call("list-servers")).text).toContain("survival: live");
  for (const token of ["t-not", "t-label", "t-other"]) {
    const hidden = await connect(bridge, token);
    const { text } = await hidden.call("list-servers");
    expect(text, token).not.toMatch(/survival|spawn/);
    const run = { server: "survival", command: "list" };
    expect((await hidden.call("execute_command", run)).text, token).toContain("is not linked");
    const uri = "minecraft://servers/survival/events";
    await expect(hidden.client.readResource({ uri }), token).rejects.toThrow("is not linked");
    const { resources } = await hidden.client.listResources();
    expect(JSON.stringify(resources), token).not.toMatch(/survival|spawn/);
  }
  expect(game.commands).not.toContain("list");
  const named = await connect(bridge, "t-server");
  expect((await named.call("list-servers")).text).toContain("survival: live");
  expect((await named.call("list-computers")).text).not.toContain("spawn");
});

it("gives items for clients whose token allows it, and for no others", async () => {
  const { bridge, call, game } = await startServer(undefined, {
    ...tokenFile("t-all name=ann allow=give_item", "t-not name=bob"),
    minecraftTools: [],
  });
  const steve = game.addPlayer("Steve");
  const give = { player: "Steve", item: "stone", quantity: 2 };
  const other = await connect(bridge, "t-not");
  expect((await other.call("give_item", give)).text).toContain("PERMISSION_DENIED");
  expect(steve.inventory).toEqual([]);
  expect((await call("give_item", give)).isError).toBeUndefined();
  expect(steve.inventory).toHaveLength(1);
});
