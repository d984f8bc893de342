import { expect, it, onTestFinished } from "vitest";
import { MsmpClient } from "../src/msmp/client.js";
import { FakeMsmp } from "./fake-server/msmp.js";
import { FakeWorld } from "./fake-server/world.js";
import { startScene } from "./harness.js";
import { silent } from "./silent.js";

async function startManaged(properties: Record<string, string> = {}) {
  const managed = new FakeWorld();
  const msmp = await FakeMsmp.start(managed);
  onTestFinished(() => msmp.close());
  const scene = await startScene({
    prepare: (server) => server.writeProperties({ ...msmp.properties, ...properties }),
  });
  await expect.poll(() => scene.lines.join("\n")).toContain("management protocol connected");
  return { ...scene, msmp, managed };
}

it("reports joins and quits from the management protocol only", async () => {
  const { server, bridge, msmp } = await startManaged();
  const id = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
  server.log.say("Forged joined the game");
  server.world.addPlayer("Forged");
  msmp.notify("minecraft:notification/players/joined", [{ id, name: "Steve" }]);
  await bridge.until(() => bridge.events.length === 1);
  server.log.say("Steve left the game");
  msmp.notify("notification:players/left", [{ id, name: "Steve" }]);
  await bridge.until(() => bridge.events.length === 2);
  server.log.chat("Alex", "hi");
  await bridge.until(() => bridge.events.length === 3);
  expect(bridge.events.map(({ payload }) => [payload.eventType, payload.data])).toEqual([
    ["player_join", { player: "Steve", uuid: id }],
    ["player_quit", { player: "Steve", uuid: id }],
    ["player_chat", { player: "Alex", message: "hi" }],
  ]);
});

it("serves what it can without RCON", async () => {
  const { bridge, msmp, managed } = await startManaged({ "enable-rcon": "false" });
  managed.addPlayer("Steve");
  expect(bridge.hellos[0]).toMatchObject({
    route: "log + management protocol",
    capabilities: { tools: ["send_message", "get_online_players", "get_server_info"] },
  });
  expect(await bridge.call("get_online_players")).toEqual({ ok: true, data: ["Steve"] });
  expect(
    await bridge.call("send_message", { message: "żółć ☃ 🎮", target: "Steve" }),
  ).toMatchObject({
    ok: true,
  });
  expect(msmp.calls.at(-1)).toEqual({
    method: "minecraft:server/system_message",
    params: [
      { message: { literal: "żółć ☃ 🎮" }, overlay: false, receivingPlayers: [{ name: "Steve" }] },
    ],
  });
  expect(await bridge.call("get_server_info")).toMatchObject({
    data: { onlinePlayers: 1, maxPlayers: 20, timeOfDay: null, tps: null, weather: null },
  });
});

it("falls back to the log when the management protocol is gone, and connects again", async () => {
  const { server, bridge, msmp } = await startManaged();
  msmp.dropAll();
  await expect.poll(() => msmp.connects).toBe(2);
  server.log.chat("Alex", "still here");
  await bridge.until(() => bridge.events.length === 1);
});

it("finds errors, also nested in results", async () => {
  const msmp = await FakeMsmp.start(new FakeWorld());
  let connected = () => {};
  const ready = new Promise<void>((resolve) => {
    connected = resolve;
  });
  const client = new MsmpClient({
    url: `ws://127.0.0.1:${msmp.port}`,
    secret: msmp.secret,
    log: silent,
    timeoutMs: 60_000,
    retry: { firstMs: 10, maxMs: 10 },
    onConnect: () => connected(),
    onDisconnect: () => {},
    onJoin: () => {},
    onQuit: () => {},
  });
  onTestFinished(async () => {
    client.stop();
    await msmp.close();
  });
  client.start();
  await ready;
  await expect(client.request("minecraft:nonsense")).rejects.toThrow("Method not found");
});
