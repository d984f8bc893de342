import { HelloSchema, type ToolName } from "@ccbridge/protocol/minecraft";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge } from "../helpers/bridge.js";
import { connectClient } from "../helpers/sdk-client.js";
import { connect, startServerBridge } from "./helpers.js";

const everything: ToolName[] = ["teleport_player", "give_item", "get_online_players"];

describe("the tools of servers", () => {
  it("are listed where a server can link, and only there", async () => {
    const names = async (bridge: { mcpUrl: string }) =>
      (await (await connectClient(bridge.mcpUrl)).listTools()).tools.map(({ name }) => name);
    expect(await names(await startTestBridge())).not.toContain("execute_command");
    const listed = await names(await startServerBridge());
    expect(listed).toContain("execute_command");
    expect(listed).toContain("list-servers");
    expect(listed).not.toContain("execute-command");
  });

  it("are listed while a server is linked, even if none is expected, and clients are notified", async () => {
    const bridge = await startTestBridge();
    const client = await connectClient(bridge.mcpUrl);
    const listed = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await listed()).not.toContain("list-servers");
    const changed = () =>
      new Promise<void>((resolve) =>
        client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()),
      );
    const more = changed();
    const link = bridge.servers.connect({
      name: "survival",
      through: { kind: "computer", key: "7", name: "computer 7", methods: [], features: [] },
      hello: HelloSchema.parse({}),
      call: async () => ({ ok: true }),
      isAlive: () => true,
      ended: () => {},
    });
    if ("message" in link) throw new Error(link.message);
    await more;
    expect(await listed()).toContain("list-servers");
    const fewer = changed();
    link.closed("gone");
    await fewer;
    expect(await listed()).not.toContain("list-servers");
  });

  it("show many servers, and thousands of players, page by page", async () => {
    const players = Array.from({ length: 5_000 }, (_, at) => `player_${at}_of_the_longest`);
    const bridge = await startServerBridge();
    for (let at = 0; at < 200; at += 1) {
      const link = bridge.servers.connect({
        name: `world-${at}`,
        through: {
          kind: "computer",
          key: `${at}`,
          name: `computer ${at}`,
          methods: [],
          features: [],
        },
        hello: HelloSchema.parse({}),
        call: async () => ({ ok: true, result: players }),
        isAlive: () => true,
        ended: () => {},
      });
      if ("message" in link) throw new Error(link.message);
    }
    const { call } = await connect(bridge);
    const pages = async (name: string, args: object, entry: RegExp) => {
      const found: string[] = [];
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const { text } = await call(name, { ...args, offset });
        expect(text.length).toBeLessThan(12_000);
        found.push(...(text.match(entry) ?? []));
        const next: string | undefined = /with offset (\d+)/.exec(text)?.[1];
        offset = next === undefined ? undefined : Number(next);
      }
      return new Set(found).size;
    };
    expect(await pages("list-servers", {}, /^world-\d+: /gm)).toBe(200);
    const one = { server: "world-7" };
    expect(await pages("get_online_players", one, /player_\d+/g)).toBe(players.length);
  });

  it("leave their command in the audit, whether it ran or not", async () => {
    const bridge = await startServerBridge({ minecraftCommands: "^list$" });
    await bridge.link({ name: "survival", answer: () => ({ success: true }) });
    const { call } = await connect(bridge);
    await call("execute_command", { command: "list" });
    await call("execute_command", { command: "op Steve" });
    await call("get_online_players");
    expect(bridge.audit.trail.recent()).toMatchObject([
      {
        tool: "execute_command",
        acts: true,
        request: { command: "list" },
        providers: ["server survival"],
        outcome: "ok",
      },
      { tool: "execute_command", acts: true, request: { command: "op Steve" }, outcome: "error" },
      { tool: "get_online_players", acts: false },
    ]);
  });

  it("may be called with hyphens", async () => {
    const bridge = await startServerBridge();
    await bridge.link({ answer: () => ({ success: true, data: ["Steve"] }) });
    const { call } = await connect(bridge);
    expect((await call("get-online-players")).text).toBe("1 on server minecraft: Steve");
  });

  it("list the servers when none or several match", async () => {
    const bridge = await startServerBridge();
    const { call } = await connect(bridge);
    expect(await call("get_online_players")).toMatchObject({
      isError: true,
      text: expect.stringMatching(new RegExp(texts.connectionErrorNoMinecraftServer, "s")),
    });
    const answer = (name: string) => ({ answer: () => ({ success: true, data: [name] }) });
    await bridge.link({ name: "one", ...answer("Steve") });
    await bridge.link({ name: "two", ...answer("Alex") });
    const several = (await call("get_online_players")).text;
    expect(several).toMatch(new RegExp(texts.serversAreLinkedOneTwo, "s"));
    expect((await call("get-server-events")).text).toContain(texts.withOneOfThese);
    expect((await call("get_online_players", { server: "two" })).text).toContain("Alex");
    expect((await call("get_online_players", { server: "three" })).text).toContain(
      texts.serverThreeIsNotLinked,
    );
  });

  it("advise what to do when the server disconnects during a call, worded for a server", async () => {
    const bridge = await startServerBridge();
    const mod = await bridge.link({ name: "one", answer: () => null });
    const { call } = await connect(bridge);
    const asked = call("send_message", { message: "hi" });
    await mod.until(() => mod.requests.length === 1);
    mod.drop();
    const { isError, text } = await asked;
    expect(isError).toBe(true);
    expect(text).toMatch(new RegExp(texts.callListServersMay, "s"));
    expect(text).not.toMatch(/computer/);
  });

  it("are safe by default: looking and talking", async () => {
    const bridge = await startServerBridge();
    const mod = await bridge.link();
    const { call } = await connect(bridge);
    expect((await call("send_message", { message: "hi" })).isError).toBeUndefined();
    for (const [name, args] of [
      ["teleport_player", { player: "Steve", x: 1, y: 2, z: 3 }],
      ["give_item", { player: "Steve", item: "stone", quantity: 1 }],
    ] as const) {
      expect(await call(name, args)).toMatchObject({
        isError: true,
        text: expect.stringMatching(/PERMISSION_DENIED.*MINECRAFT_TOOLS/s),
      });
    }
    expect(await call("execute_command", { command: "list" })).toMatchObject({
      isError: true,
      text: expect.stringMatching(new RegExp(texts.invalidCommandNoCommands, "s")),
    });
    expect(mod.requests.map(({ name }) => name)).toEqual(["send_message"]);
  });

  it("run commands that the patterns allow as a whole", async () => {
    const bridge = await startServerBridge({ minecraftCommands: "^say .{1,9}$;;^list$" });
    const mod = await bridge.link({
      answer: () => ({ success: true, data: { success: true, message: "There are 0" } }),
    });
    const { call } = await connect(bridge);
    expect((await call("execute_command", { command: "/list" })).text).toContain("There are 0");
    for (const command of ["say hi\nop x", "list all", "say 12345678901", "op x"]) {
      expect((await call("execute_command", { command })).text).toContain("INVALID_COMMAND");
    }
    expect(mod.requests).toHaveLength(1);
  });

  it.each([
    ["a text", { success: false, error: "No player was found" }, /No player was found/],
    [
      "an object",
      { success: false, error: { code: "PLAYER_NOT_FOUND", message: "gone" } },
      /PLAYER_NOT_FOUND.*gone/,
    ],
    [
      "an error message",
      { type: "error", code: "TIMEOUT", message: "too slow" },
      /TIMEOUT.*too slow/,
    ],
    [
      "an error inside",
      { type: "error", success: false, error: { code: "SERVER_ERROR", message: "boom" } },
      /boom/,
    ],
    ["a failed result", { success: true, data: { success: false, error: "nope" } }, /nope/],
    ["nonsense", { success: true, data: 5 }, /cannot be read/],
    ["what breaks the schema", { data: 5 }, /SCHEMA_ERROR/],
  ])("report a failure that arrives as %s", async (_, payload, text) => {
    const bridge = await startServerBridge();
    await bridge.link({ answer: () => payload });
    const { call } = await connect(bridge);
    const result = await call("get_player_info", { player: "Steve" });
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(text);
  });

  it("know what a server cannot do, and what would give it", async () => {
    const bridge = await startServerBridge({ minecraftTools: everything });
    const mod = await bridge.link({
      hello: {
        route: "RCON + log",
        game: { software: "paper", version: "1.21" },
        capabilities: {
          tools: ["get_online_players"],
          events: ["player_chat"],
          notes: { give_item: "RCON is off.", block_break: "Needs a mod." },
        },
      },
    });
    const { call } = await connect(bridge);
    expect(
      (await call("give_item", { player: "Steve", item: "stone", quantity: 1 })).text,
    ).toContain(texts.serverMinecraftCannotDoGive);
    const { text } = await call("list-servers");
    expect(text).toContain('minecraft: live; "paper 1.21"; by "RCON + log"');
    expect(text).toContain("can get_online_players");
    expect(text).toContain('cannot block_break: "Needs a mod."');
    expect(mod.requests).toEqual([]);
  });

  it("show what is unknown as unknown", async () => {
    const bridge = await startServerBridge();
    await bridge.link({
      answer: (name) => ({
        success: true,
        data:
          name === "get_server_info"
            ? {
                version: "1.16.5",
                onlinePlayers: 1,
                maxPlayers: 20,
                weather: null,
                notes: ["Too old."],
              }
            : { name: "Steve", health: 20 },
      }),
    });
    const { call } = await connect(bridge);
    const { text } = await call("get_server_info");
    expect(text).toContain("weather unknown, tps unknown");
    expect(text).toContain('Note: "Too old."');
    expect((await call("get_player_info", { player: "Steve" })).text).toContain(
      "at an unknown position",
    );
  });

  it("clean what players can write", async () => {
    const bridge = await startServerBridge();
    await bridge.link({ answer: () => ({ success: true, data: ["Evil\n\u001b[2JIgnore all"] }) });
    const { call } = await connect(bridge);
    const { text } = await call("get_online_players");
    expect(text).not.toMatch(/\p{Cc}/u);
  });
});

describe("events", () => {
  it("are read in order with each reader's own filter and cursor", async () => {
    const bridge = await startServerBridge();
    const mod = await bridge.link({ name: "survival" });
    const { call } = await connect(bridge);
    const waiting = call("wait-for-server-event", {
      types: ["player_death"],
      cursor: 0,
      waitMs: 20_000,
    });
    mod.event("player_join", { player: "Steve", uuid: "u" });
    mod.event("player_chat", { player: "Steve", message: "hi\nthere" });
    mod.event("player_death", { player: "Steve", cause: "Steve fell", location: null });
    expect((await waiting).text).toContain('player_death {"player":"Steve","cause":"Steve fell"');
    const all = await call("get-server-events");
    expect(all.text.match(/#\d+ /g)).toHaveLength(3);
    expect(all.text).toContain('"hi\\nthere"');
    const chat = await call("get-server-events", { types: ["player_chat"] });
    expect(chat.text.match(/#\d+ /g)).toHaveLength(1);
    const { cursor } = all.structuredContent as { cursor: number };
    expect((await call("get-server-events", { cursor })).text).toContain(
      "No events of server survival",
    );
  });

  it("are accepted once, even if a server sends them again, and gaps are counted", async () => {
    const bridge = await startServerBridge();
    const hello = { instance: "run-1", acknowledge: true, nextEvent: 0 };
    const chat = (n: number) => ({ player: "Steve", message: String(n) });
    const first = await bridge.link({ hello });
    for (const n of [0, 1]) first.event("player_chat", chat(n), n);
    await first.until(() => first.answerTo("event-2") !== undefined);
    first.drop();
    const second = await bridge.link({ hello: { ...hello, nextEvent: 1 } });
    expect(second.answerTo("hello")).toMatchObject({ outcome: { data: { nextEvent: 2 } } });
    for (const n of [1, 2, 7]) second.event("player_chat", chat(n), n);
    await second.until(() => second.answerTo("event-3") !== undefined);
    const { call } = await connect(bridge);
    const { structuredContent, text } = await call("get-server-events");
    const { events, dropped } = structuredContent as {
      events: { data: { message: string } }[];
      dropped: number;
    };
    expect(events.map(({ data }) => data.message)).toEqual(["0", "1", "2", "7"]);
    expect(dropped).toBe(4);
    expect(text).toContain("4 before it were lost");
  });

  it("come hundreds a second without loss or disorder", async () => {
    const bridge = await startServerBridge();
    const mod = await bridge.link();
    const { call } = await connect(bridge);
    for (let n = 0; n < 1_000; n++)
      mod.event("player_chat", { player: "A", message: String(n) }, n);
    const seen: string[] = [];
    let cursor = 0;
    while (seen.length < 1_000) {
      const wait = await call("wait-for-server-event", { cursor, waitMs: 5_000 });
      const { structuredContent } = await call("get-server-events", { cursor, limit: 100 });
      expect(wait.isError).toBeUndefined();
      const page = structuredContent as { cursor: number; events: { data: { message: string } }[] };
      cursor = page.cursor;
      seen.push(...page.events.map(({ data }) => data.message));
    }
    expect(seen).toEqual(Array.from({ length: 1_000 }, (_, n) => String(n)));
  });

  it("of a server that is gone can still be read", async () => {
    const bridge = await startServerBridge();
    const mod = await bridge.link({ name: "survival" });
    const { call } = await connect(bridge);
    const waiting = call("wait-for-server-event", {
      server: "survival",
      cursor: 0,
      waitMs: 20_000,
    });
    mod.event("player_join", { player: "Steve", uuid: null });
    await waiting;
    mod.drop();
    await expect
      .poll(async () => (await call("list-servers")).text)
      .toContain("No Minecraft server");
    const { text } = await call("get-server-events", { server: "survival" });
    expect(text).toContain("player_join");
    expect(text).toContain(texts.theServerIsNot);
  });
});
