// Feature: minecraft-mcp-bridge, Property 14: Component startup logging. Its 100 cases are in properties.test.ts; here
// the program itself starts, and says what is linked to it from then on.
import { describe, expect, it } from "vitest";
import { version } from "../../src/version.js";
import { spawnBridge } from "../helpers/spawn-bridge.js";
import { FakeMod } from "./fake-mod.js";
import { token } from "./helpers.js";

describe("Property 14: the log of a real start", () => {
  it("has the version, the settings and the connections, and each server that comes and goes", async () => {
    const bridge = await spawnBridge([], {
      MINECRAFT_TOKENS: token,
      MINECRAFT_TOOLS: "get_online_players,give_item",
    });
    const lineOf = async (message: string) =>
      JSON.parse(await bridge.line((line) => line.includes(`"msg":"${message}"`)));
    const started = await lineOf("bridge started");
    expect(started).toMatchObject({
      version,
      linked: 0,
      mcpUrl: bridge.mcpUrl,
      serverTools: ["get_online_players", "give_item"],
    });
    expect(started.serverUrls).toContain(`${bridge.linkUrl}/minecraft`);
    const mod = await FakeMod.dial({
      url: `${bridge.linkUrl}/minecraft`,
      token,
      name: "survival",
      hello: { agent: { name: "ccbridge-mod", version: "1.0.0" } },
    });
    expect(await lineOf("server linked")).toMatchObject({ address: "127.0.0.1" });
    mod.hangUp();
    expect(await lineOf("server unlinked")).toMatchObject({ reason: expect.any(String) });
    expect(bridge.lines.join("\n")).toContain("survival");
    expect(bridge.lines.join("\n")).not.toContain(token);
  });
});
