// Alerts are delivered although no call waits: through the real tool, links and program.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { monitorPeripheral, type Peripheral } from "@ccbridge/cc-host";
import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { MAX_ALERTS_PER_CLIENT } from "../../src/alerts/alerts.js";
import { startWithTokens } from "../calls/helpers.js";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { startWireBridge, tokenFile, WirePage } from "../dashboard/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { connect, startServerBridge, token } from "../server/helpers.js";

type Call = (args: object) => ReturnType<typeof callTool>;

const idOf = (text: string) => /^Created: (\w+):/.exec(text)?.[1] ?? expect.unreachable(text);

/** Waits until the list of alerts says something. */
async function listed(call: Call, words: string | RegExp) {
  return vi.waitFor(async () => {
    const { text } = await call({});
    expect(text).toMatch(words);
    return text;
  }, 20_000);
}

async function game(options: Parameters<typeof linkGameComputer>[2] = {}) {
  const bridge = await startTestBridge();
  const world = await startWorld();
  const computer = await linkGameComputer(bridge, world, options);
  const client = await connectClient(bridge.mcpUrl);
  return {
    bridge,
    computer,
    client,
    call: (args: object) => callTool(client, "create-alert", { ...args }),
  };
}

describe("an alert of a server's event", () => {
  it("is delivered to the game's chat, once unless asked otherwise, with what must match", async () => {
    const bridge = await startServerBridge();
    const mod = await bridge.link();
    const { call } = await connect(bridge);
    const alert = (args: object) => call("create-alert", args);
    const wanted = {
      provider: "minecraft",
      filter: { player: "an*" },
      chat: "Bo",
      message: "Look:",
    };
    const { text } = await alert({ event: "player_join", ...wanted });
    expect(text).toMatch(/player_join on .*minecraft.* where player is "an\*"/);
    expect(text).toContain("fires once");
    mod.event("player_join", { player: "Kim", uuid: null });
    mod.event("player_quit", { player: "Ann", uuid: null });
    mod.event("player_join", { player: "Ann", uuid: null });
    mod.event("player_join", { player: "Anna", uuid: null });
    await mod.until(() => mod.requests.length > 0);
    expect(mod.requests).toEqual([
      {
        name: "send_message",
        args: { target: "Bo", message: expect.stringContaining("Look: (") },
      },
    ]);
    expect(mod.requests[0]?.args.message).toContain("player_join player Ann");
    const list = await listed((args) => alert(args), /Fired at .*Ann/);
    expect(list).toContain("You have no alerts.");
  });

  it("comes at most once in a time; what happened in between is counted", async () => {
    const bridge = await startServerBridge();
    const mod = await bridge.link();
    const { call } = await connect(bridge);
    const alert = (args: object) => call("create-alert", args);
    await alert({ event: "player_chat", times: 5, everyMs: 1_000 });
    const say = (message: string) => mod.event("player_chat", { player: "Ann", message });
    for (const message of ["one", "two", "three"]) say(message);
    await listed(alert, /fired once/);
    await vi.waitFor(async () => {
      say("four");
      expect((await alert({})).text).toMatch(
        /"four" \(and [2-9]\d* more before\)|four .*more before/,
      );
    }, 20_000);
  });

  it("refuses what could never happen", async () => {
    const bridge = await startServerBridge();
    await bridge.link();
    const { call } = await connect(bridge);
    const refused = async (args: object) => {
      const { isError, text } = await call("create-alert", args);
      expect(isError, text).toBe(true);
      return text;
    };
    const onServer = { provider: "minecraft", event: "player_join" };
    expect(await refused({ ...onServer, event: "player_joined" })).toContain("player_join?");
    expect(await refused({ ...onServer, provider: "nowhere" })).toContain('"nowhere"');
    expect(await refused({ ...onServer, until: "2001-01-01" })).toContain("past");
    expect(await refused({ ...onServer, until: "200d" })).toContain("90 days");
    expect(await refused({ ...onServer, screen: "minecraft" })).toContain("no screen");
    expect(await refused({ ...onServer, monitor: "top" })).toContain("screen");
    expect(await refused({ ...onServer, webhook: "https://ntfy.sh/x" })).toContain(
      "ALERT_WEBHOOK_HOSTS",
    );
    expect(await refused({ remove: "nothing" })).toContain('"nothing"');
    expect((await call("create-alert", {})).text).toBe("You have no alerts.");
  });
});

describe("an alert of a computer's event", () => {
  it("is shown on its own screen and on a monitor, for the side that was named", async () => {
    const { computer, call } = await game();
    const monitor = monitorPeripheral(29, 12);
    computer.attach("top", monitor);
    const door = { event: "redstone", provider: 12, filter: { left: true }, message: "The door" };
    await call({ ...door, screen: 12 });
    await call({ ...door, screen: "base-turtle", monitor: "top", times: 2, everyMs: 1_000 });
    computer.redstone.setInput("right", 15);
    await computer.until(() => computer.stats.queueLength === 0);
    expect((await call({})).text).not.toContain("Fired");
    computer.redstone.setInput("left", 7);
    await computer.until(() => computer.screen.text().includes("The door"));
    const shown = () => monitor.screen.text().replace(/\s+/g, " ");
    await vi.waitFor(() => expect(shown()).toMatch(/redstone .*left 7/), 20_000);
    const text = await listed(call, /has fired once/);
    expect(text.match(/^Fired at/gm)).toHaveLength(2);
  });

  it("is delivered by a chat box", async () => {
    const { computer, call } = await game();
    const said: unknown[] = [];
    const box: Peripheral = {
      types: ["chat_box"],
      methods: {
        sendMessageToPlayer: (...args) => {
          said.push(args.slice(0, 2));
          return said.length > 1;
        },
      },
    };
    computer.attach("back", box);
    await call({ event: "door_*", provider: 12, filter: { 1: "open" }, chat: "Ann", chatBy: 12 });
    computer.queueEvent("door_bell", "shut");
    computer.queueEvent("door_bell", "open");
    // The first try meets the cool-down of the box.
    await vi.waitFor(() => expect(said).toHaveLength(2), 20_000);
    expect(said[1]).toEqual([expect.stringContaining("door_bell open"), "Ann"]);
  });

  it("says what was not reached", async () => {
    const { computer, call } = await game();
    await call({ event: "bell", provider: 12, screen: 12, monitor: "top", chat: "@a", chatBy: 12 });
    computer.queueEvent("bell");
    const text = await listed(call, /not delivered/);
    expect(text).toContain(texts.noMonitorIsAttached);
    expect(text).toContain(texts.noChatBoxIs);
  });

  it("begins with what happens from now on, and goes on after the computer was away", async () => {
    const { bridge, computer, client, call } = await game();
    await callTool(client, "watch-events", { computerId: 12, events: ["bell"] });
    computer.queueEvent("bell", "too early");
    await vi.waitFor(() =>
      expect(bridge.registry.events.of(bridge.computers.find(12)).log.end).toBe(1),
    );
    await call({ event: "bell", times: 3, everyMs: 1_000 });
    await call({ event: "unlinked", provider: 12 });
    await callTool(client, "power-computer", { computerId: 12, action: "reboot" });
    await listed(call, /unlinked/);
    computer.type(`mcp-computer ${bridge.linkUrl}\n`);
    await vi.waitFor(() => expect(bridge.computers.list()).toHaveLength(1), 20_000);
    await vi.waitFor(async () => {
      computer.queueEvent("bell", "again");
      expect((await call({})).text).toContain("bell again");
    }, 20_000);
    expect((await call({})).text).not.toContain("too early");
  });
});

describe("rights", () => {
  const lines = [
    "t-owner name=owner",
    "t-kim name=kim computers=1",
    "t-mute name=mute tools=-send_message",
    "t-look name=look mode=look",
  ];

  it("a client hears only of what it sees, and shows only what it could show itself", async () => {
    const bridge = await startWithTokens(`${lines.join("\n")}\n`, {
      minecraftTokens: [token],
      tools: ["all"],
    });
    const serverBridge = { ...bridge, serversUrl: `${bridge.linkUrl}/minecraft` };
    const { FakeMod } = await import("../server/fake-mod.js");
    const mod = await FakeMod.dial({ url: serverBridge.serversUrl, token, hello: {} });
    const as = async (name: string): Promise<Call> => {
      const client = await bridge.connect(`t-${name}`);
      return (args) => callTool(client, "create-alert", { ...args });
    };
    const [owner, kim, mute, look] = await Promise.all(["owner", "kim", "mute", "look"].map(as));
    if (!owner || !kim || !mute || !look) throw new Error("not connected");
    expect((await look({ event: "player_join" })).isError).toBe(true);
    expect((await kim({ event: "player_join", provider: "minecraft" })).isError).toBe(true);
    await kim({ event: "*" });
    await kim({ event: "linked" });
    await mute({ event: "player_join", chat: "@a" });
    const { text } = await owner({ event: "player_join", chat: "@a" });
    mod.event("player_join", { player: "Ann", uuid: null });
    await mod.until(() => mod.requests.length > 0);
    expect(await listed(mute, /not delivered/)).toContain("send_message");
    await listed(owner, /Fired at/);
    expect(mod.requests).toHaveLength(1);
    await linkComputer(bridge.linkUrl, { computerId: 2 });
    await linkComputer(bridge.linkUrl, { computerId: 1 });
    const seen = await listed(kim, /linked/);
    await listed(kim, /Fired at .*computer 1/);
    expect(seen).not.toContain("Ann");
    expect((await kim({})).text).not.toMatch(/computer 2|Ann/);
    // Alerts of others do not exist.
    expect((await kim({ remove: idOf(text) })).isError).toBe(true);
  });

  it("alerts end with their token, and follow its rights when those change", async () => {
    const bridge = await startWithTokens("t-kim name=kim\nt-owner name=owner\n");
    const { call } = { call: await bridge.connect("t-kim") };
    await callTool(call, "create-alert", { event: "linked", times: 9, everyMs: 1_000 });
    const owner = await bridge.connect("t-owner");
    await callTool(owner, "create-alert", { event: "linked", times: 9, everyMs: 1_000 });
    bridge.write("t-kim name=kim computers=1\nt-owner name=owner\n");
    bridge.reload();
    const again = await bridge.connect("t-kim");
    await linkComputer(bridge.linkUrl, { computerId: 2 });
    await listed((args) => callTool(owner, "create-alert", { ...args }), /computer 2/);
    expect((await callTool(again, "create-alert", {})).text).not.toContain("Fired");
    bridge.write("t-owner name=owner\n");
    bridge.reload();
    bridge.write("t-kim name=kim\nt-owner name=owner\n");
    bridge.reload();
    const later = await bridge.connect("t-kim");
    expect((await callTool(later, "create-alert", {})).text).toBe("You have no alerts.");
    expect((await callTool(owner, "create-alert", {})).text).toContain("linked");
  });
});

it("there is a limit, and what is removed is not delivered", async () => {
  const bridge = await startTestBridge();
  const client = await connectClient(bridge.mcpUrl);
  const call: Call = (args) => callTool(client, "create-alert", { ...args });
  const ids: string[] = [];
  const filter = Object.fromEntries([..."abcdefgh"].map((letter) => [letter, "x".repeat(256)]));
  for (let count = 0; count < MAX_ALERTS_PER_CLIENT; count += 1) {
    ids.push(idOf((await call({ event: "linked", filter })).text));
  }
  // Clients cut longer texts in the middle.
  const list = (await call({})).text;
  for (const id of ids) expect(list).toContain(`${id}: linked`);
  expect(Buffer.byteLength(list)).toBeLessThan(12_000);
  const { isError, text } = await call({ event: "linked" });
  expect(isError).toBe(true);
  expect(text).toContain(String(MAX_ALERTS_PER_CLIENT));
  for (const remove of ids) expect((await call({ remove })).text).toContain(`Removed: ${remove}`);
  await linkComputer(bridge.linkUrl, { computerId: 1 });
  expect((await call({})).text).toBe("You have no alerts.");
});

it("each delivery is in the audit and in the history, without the address of the webhook", async () => {
  const auditFile = join(scratchDirectory(), "audit.log");
  const settings = { auditFile, alertWebhookHosts: ["http://127.0.0.1:9"] };
  const bridge = await startTestBridge(settings);
  const client = await connectClient(bridge.mcpUrl);
  const call: Call = (args) => callTool(client, "create-alert", { ...args });
  await call({ event: "linked", webhook: "http://127.0.0.1:9/a-secret-path" });
  await linkComputer(bridge.linkUrl, { computerId: 1 });
  await listed(call, /not delivered: .*inside the network/);
  const audit = readFileSync(auditFile, "utf8");
  expect(audit).toContain('"tool":"alert"');
  expect(audit).toContain("127.0.0.1:9");
  const history = JSON.stringify(
    bridge.audit.trail.recent().map((record) => [record.request, record.answer]),
  );
  for (const text of [audit, history]) expect(text).not.toContain("a-secret-path");
});

it("alerts and their deliveries survive a restart", async () => {
  const historyFile = join(scratchDirectory(), "history.db");
  const settings = { history: "on", historyFile } as const;
  const start = async () => {
    const bridge = await startTestBridge(settings);
    const client = await connectClient(bridge.mcpUrl);
    const call: Call = (args) => callTool(client, "create-alert", { ...args });
    return { bridge, call };
  };
  const first = await start();
  await first.call({ event: "linked", times: 3, everyMs: 1_000, until: "2d" });
  await first.call({ event: "unlinked", until: "2d" });
  await linkComputer(first.bridge.linkUrl, { computerId: 1, instance: "a" });
  const before = await listed(first.call, /has fired once/);
  await first.bridge.close();

  const second = await start();
  const after = (await second.call({})).text;
  expect(after.split("\n").slice(0, 2)).toEqual(before.split("\n").slice(0, 2));
  expect(after).toContain("Fired at");
  await vi.waitFor(async () => {
    const { socket } = await linkComputer(second.bridge.linkUrl, { computerId: 1, instance: "a" });
    socket.close();
    expect((await second.call({})).text).toContain("has fired 2 times");
  }, 20_000);
});

it("the dashboard shows all to an owner and their own to others, and removes them", async () => {
  const bridge = await startWireBridge(
    tokenFile("t-owner name=owner", "t-kim name=kim computers=1"),
  );
  const connected = async (name: string): Promise<Call> => {
    const client = await connectClient(bridge.mcpUrl, { Authorization: `Bearer t-${name}` });
    return (args) => callTool(client, "create-alert", { ...args });
  };
  const [kim, owner] = [await connected("kim"), await connected("owner")];
  await kim({ event: "linked", times: 2 });
  await owner({ event: "linked", message: "Back:" });
  const page = await new WirePage(bridge).hello("t-owner");
  const own = await new WirePage(bridge).hello("t-kim");
  const shown = page.watch("alerts", {});
  const ofKim = own.watch("alerts", {});
  expect((await shown.first()).alerts.map(({ client }) => client).sort()).toEqual(["kim", "owner"]);
  expect((await ofKim.first()).alerts).toMatchObject([{ client: "kim", what: "linked", times: 2 }]);
  await linkComputer(bridge.linkUrl, { computerId: 2, label: "miner" });
  const { fired, alerts } = await shown.first(
    (data) => data.fired.length > 0 && data.alerts.length === 1,
  );
  expect(fired).toMatchObject([{ client: "owner", text: expect.stringContaining("Back: (") }]);
  const { id = "" } = alerts[0] ?? {};
  await own.act("remove-alert", { id });
  await shown.first((data) => data.alerts.length === 0);
  await expect(page.act("remove-alert", { id })).rejects.toThrow(/over already/);
  expect((await ofKim.first()).fired).toEqual([]);
});
