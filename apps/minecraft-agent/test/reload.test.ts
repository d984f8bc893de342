import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { startScene } from "./harness.js";

it("uses RCON as soon as the server's owner switches it on", async () => {
  const { server, bridge, lines } = await startScene({
    prepare: (game) => game.writeProperties({ "enable-rcon": "false" }),
  });
  expect(lines.join("\n")).toContain(texts.inServerPropertiesSet);
  expect(bridge.hellos[0]).toMatchObject({ route: "log", capabilities: { tools: [] } });
  server.world.addPlayer("Steve");
  server.writeProperties();
  await bridge.until(() => bridge.hellos.length === 2);
  expect(bridge.hellos[1]).toMatchObject({ route: "RCON + log" });
  expect(await bridge.call("get_online_players")).toEqual({ ok: true, data: ["Steve"] });
});

it("notifies the bridge at once, over its existing link, of what was disabled and by whom", async () => {
  const { server, bridge } = await startScene();
  const file = join(server.folder, "minecraft-mcp-bridge.toml");
  writeFileSync(
    file,
    '[commands]\ntools = ["get_online_players"]\n[events]\nenabled = ["player_chat"]\n',
  );
  await bridge.until(() => bridge.hellos.length === 2);
  expect(bridge.requests).toHaveLength(1);
  expect(bridge.hellos[1]?.capabilities).toMatchObject({
    tools: ["get_online_players"],
    events: ["player_chat"],
    notes: {
      give_item: expect.stringContaining(texts.theServerOwnerSwitchedIt),
      player_join: expect.stringContaining("(events.enabled"),
      block_break: expect.stringContaining("A server mod"),
    },
  });
});

it("sends nothing when a file is rewritten without a change", async () => {
  const { server, agent, lines } = await startScene();
  const { length } = lines;
  server.writeProperties();
  await agent.reload();
  expect(lines.slice(length)).toEqual([]);
});
