import { describe, expect, it, vi } from "vitest";
import { rawSocket } from "../helpers/abuse.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer, openSocket, upgradeStatus } from "../helpers/computer.js";

describe("one address", () => {
  it("has a bounded number of links", async () => {
    const bridge = await startTestBridge({ linkMaxPerAddress: 3 });
    const first = await openSocket(bridge.linkUrl);
    await openSocket(bridge.linkUrl);
    await linkComputer(bridge.linkUrl, { computerId: 1 });
    expect(await upgradeStatus(bridge.linkUrl)).toBe(503);
    first.socket.terminate();
    await vi.waitFor(async () => expect(await upgradeStatus(bridge.linkUrl)).toBe(101));
    expect(bridge.registry.size).toBe(1);
  });

  it("has a bounded number of MCP connections", async () => {
    const bridge = await startTestBridge({ mcpMaxPerAddress: 2 });
    const first = await rawSocket(bridge.mcpPort);
    await rawSocket(bridge.mcpPort);
    const health = () => fetch(bridge.mcpUrl.replace("/mcp", "/health"));
    const refused = await health();
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain("MCP_MAX_PER_ADDRESS");
    first.destroy();
    await vi.waitFor(async () => expect((await health()).status).toBe(200));
  });

  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::1", "::1"],
    ["2001:db8:0:1::5", "2001:db8:0:1::/64"],
    ["2001:db8:0:1:ffff::1", "2001:db8:0:1::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ])("%s counts as %s", async (address, key) => {
    const { addressKey } = await import("../../src/config/addresses.js");
    expect(addressKey(address)).toBe(key);
  });
});
