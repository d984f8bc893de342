import { once } from "node:events";
import { get } from "node:http";
import { text } from "node:stream/consumers";
import { DASHBOARD_PATH } from "@ccbridge/protocol/dashboard";
import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { limits } from "../../src/config/limits.js";
import { startWireBridge } from "../dashboard/helpers.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { linkComputer, openSocket, upgradeStatus } from "../helpers/computer.js";
import { fromRemote } from "../helpers/proxy.js";
import { recordingLogger } from "../helpers/recording-logger.js";

type Headers = Record<string, string>;

async function ask(port: number, path: string, headers: Headers = {}) {
  const sent = get({ port, path, headers, host: "127.0.0.1", agent: false });
  const [response] = await once(sent, "response");
  return { status: response.statusCode as number, text: await text(response) };
}

const behind = { trustedProxies: ["127.0.0.1", "10.0.0.0/8"] };
const wrong = { authorization: "Bearer wrong" };

async function refusedAddresses(settings: Partial<TestBridge["config"]>, forwarded: string) {
  const { log, lines } = recordingLogger();
  const bridge = await startTestBridge(
    { mcpTokens: ["right"], linkTokens: ["right"], ...settings },
    log,
  );
  const headers = { "x-forwarded-for": forwarded };
  await ask(bridge.mcpPort, "/mcp", { ...wrong, ...headers });
  await linkComputer(bridge.linkUrl, { computerId: 1, token: "wrong" }, { headers });
  return lines()
    .filter(({ msg }) => /token refused/.test(String(msg)))
    .map(({ address }) => address);
}

describe("the address of a client", () => {
  it.each([
    ["one proxy", "203.0.113.5", "203.0.113.5"],
    ["a proxy behind a trusted one", "203.0.113.5, 10.0.0.2", "203.0.113.5"],
    ["a client that forged an earlier entry", "192.0.2.99, 203.0.113.5", "203.0.113.5"],
    ["IPv6", "2001:db8::5", "2001:db8::5"],
  ])("is what trusted proxies report: %s", async (_, forwarded, address) => {
    expect(await refusedAddresses(behind, forwarded)).toEqual([address, address]);
  });

  it.each([[[]], [["10.0.0.0/8"]]])(
    "is that of the connection if the peer is not one of %j",
    async (trustedProxies) => {
      const found = await refusedAddresses({ trustedProxies }, "203.0.113.5");
      expect(found).toEqual(["127.0.0.1", "127.0.0.1"]);
    },
  );

  it.each(["unknown", "203.0.113.5:4711", "unix:"])(
    "cannot be %s: that is an error of the proxy",
    async (forwarded) => {
      const bridge = await startTestBridge(behind);
      const headers = { "x-forwarded-for": forwarded };
      for (const port of [bridge.mcpPort, bridge.linkPort]) {
        const answer = await ask(port, "/health", headers);
        expect(answer.status).toBe(400);
        expect(answer.text).toContain("X-Forwarded-For");
      }
      expect(await upgradeStatus(bridge.linkUrl, { headers })).toBe(400);
    },
  );
});

describe("wrong tokens", () => {
  async function guess(bridge: TestBridge, forwarded: (at: number) => string) {
    let status = 0;
    for (let at = 0; at <= limits.tokenFailures; at++) {
      const headers = { ...wrong, "x-forwarded-for": forwarded(at) };
      ({ status } = await ask(bridge.mcpPort, "/mcp", headers));
    }
    return status;
  }

  it("of one client of a trusted proxy do not shut out the others", async () => {
    const bridge = await startTestBridge({ ...behind, mcpTokens: ["right"] });
    expect(await guess(bridge, (at) => `192.0.2.${at}, 203.0.113.5`)).toBe(429);
    const other = { ...wrong, "x-forwarded-for": "203.0.113.6" };
    expect((await ask(bridge.mcpPort, "/mcp", other)).status).toBe(401);
  });

  it("are not forgiven to a peer that forges a different address each time", async () => {
    const bridge = await startTestBridge({ mcpTokens: ["right"] });
    expect(await guess(bridge, (at) => `192.0.2.${at}`)).toBe(429);
  });
});

describe("connections", () => {
  it("are counted by the client of a trusted proxy", async () => {
    const bridge = await startTestBridge({ ...behind, linkMaxPerAddress: 2 });
    const first = await openSocket(bridge.linkUrl, fromRemote());
    await openSocket(bridge.linkUrl, fromRemote());
    expect(await upgradeStatus(bridge.linkUrl, fromRemote())).toBe(503);
    expect(await upgradeStatus(bridge.linkUrl, fromRemote("203.0.113.6"))).toBe(101);
    first.socket.terminate();
    await vi.waitFor(async () =>
      expect(await upgradeStatus(bridge.linkUrl, fromRemote())).toBe(101),
    );
  });

  it("of answered requests are no longer counted", async () => {
    const bridge = await startTestBridge({ ...behind, mcpMaxPerAddress: 1 });
    for (let at = 0; at < 5; at++) {
      expect((await ask(bridge.mcpPort, "/health", fromRemote().headers)).status).toBe(200);
    }
  });

  it("are counted by the peer that is not trusted, whatever it claims", async () => {
    const bridge = await startTestBridge({ linkMaxPerAddress: 2 });
    for (const address of ["203.0.113.5", "203.0.113.6"]) {
      await openSocket(bridge.linkUrl, fromRemote(address));
    }
    expect(await upgradeStatus(bridge.linkUrl, fromRemote("203.0.113.7"))).toBe(503);
  });
});

describe("this machine", () => {
  it("is not at the other end of a bridge behind a proxy, even without a header", async () => {
    const bridge = await startTestBridge(behind);
    expect(JSON.parse((await ask(bridge.mcpPort, "/health")).text)).not.toHaveProperty("version");
    await linkComputer(bridge.linkUrl, { computerId: 1 });
    expect(bridge.registry.size).toBe(0);
    expect(bridge.pairing?.pending()).toHaveLength(1);
  });

  it("cannot be claimed through a trusted proxy", async () => {
    const bridge = await startTestBridge(behind);
    const headers = { "x-forwarded-for": "127.0.0.1" };
    const health = await ask(bridge.mcpPort, "/health", headers);
    expect(JSON.parse(health.text)).not.toHaveProperty("version");
    await linkComputer(bridge.linkUrl, { computerId: 1 }, { headers });
    expect(bridge.registry.size).toBe(0);
  });

  it("shows a waiting computer with its real address, once the proxy is trusted", async () => {
    const bridge = await startTestBridge(behind);
    await linkComputer(bridge.linkUrl, { computerId: 1 }, fromRemote());
    expect(bridge.pairing?.pending()[0]?.address).toBe("203.0.113.5");
    const plain = await startTestBridge();
    await linkComputer(plain.linkUrl, { computerId: 1 }, fromRemote());
    expect(plain.pairing?.pending()[0]?.address).toBe("203.0.113.5 through 127.0.0.1");
  });

  it.each([{}, behind])(
    "is where programs without a token may act as pages, but not through a proxy (%j)",
    async (settings) => {
      const pages = { pagesOrigins: ["https://shop.example"], ...settings };
      const bridge = await startTestBridge(pages);
      const port = bridge.pagesPort ?? 0;
      expect((await ask(port, "/events?sessionId=demo", fromRemote().headers)).status).toBe(403);
      const { closed } = await openSocket(`${bridge.pagesUrl}/ws`, fromRemote());
      expect((await closed).reason).toContain(texts.programsOnOtherMachinesNeed);
    },
  );
});

describe("the dashboard behind a proxy", () => {
  const page = (host: string, origin: string) => ({ headers: { host, origin } });
  const socketOf = (bridge: TestBridge) => `ws://127.0.0.1:${bridge.mcpPort}${DASHBOARD_PATH}`;

  it("connects under its public address, whether the proxy passes the Host on or not", async () => {
    const bridge = await startWireBridge({ mcpPublicUrl: "https://mcp.example.org:8443" });
    const origin = "https://mcp.example.org:8443";
    for (const host of ["mcp.example.org:8443", "mcp.example.org", `127.0.0.1:${bridge.mcpPort}`]) {
      expect(await upgradeStatus(socketOf(bridge), page(host, origin))).toBe(101);
      const script = await ask(bridge.mcpPort, "/dashboard/main-abc.js", { host, origin });
      expect(script.status).toBe(200);
    }
  });

  it("connects under a name that is only allowed", async () => {
    const bridge = await startWireBridge({ mcpAllowedHosts: ["mcp.example.org"] });
    const own = page("mcp.example.org", "https://mcp.example.org");
    expect(await upgradeStatus(socketOf(bridge), own)).toBe(101);
  });

  it("serves no other page, and under no other name", async () => {
    const bridge = await startWireBridge({ mcpPublicUrl: "https://mcp.example.org" });
    for (const [host, origin] of [
      ["mcp.example.org", "https://evil.example"],
      ["mcp.example.org", "https://mcp.example.org:8443"],
      ["mcp.example.org", "null"],
      ["evil.example", "https://evil.example"],
      ["evil.example", "https://mcp.example.org"],
    ] as const) {
      expect(await upgradeStatus(socketOf(bridge), page(host, origin))).toBe(403);
    }
  });
});

describe("the link port behind a proxy", () => {
  const publicUrl = { linkPublicUrl: "https://bridge.example.org" };

  it("serves files with its public address, whatever address was asked", async () => {
    const { linkPort } = await startTestBridge(publicUrl);
    const installer = await ask(linkPort, "/install.lua");
    expect(installer.text).toContain('http = "https://bridge.example.org"');
    expect(installer.text).toContain('link = "wss://bridge.example.org"');
    expect((await ask(linkPort, "/")).text).toContain(texts.wgetRunHttpsBridge);
    const program = await ask(linkPort, "/ccpm/programs/mcp-computer.lua");
    expect(program.text).toContain('"wss://bridge.example.org"');
  });

  it("is allowed under its public name in addition to the listed ones", async () => {
    const { linkPort } = await startTestBridge({ ...publicUrl, linkAllowedHosts: ["127.0.0.1"] });
    const status = async (host: string) => (await ask(linkPort, "/health", { host })).status;
    expect(await status("bridge.example.org")).toBe(200);
    expect(await status("other.example.org")).toBe(403);
  });

  it("admits old computers, which send its own address as Origin, and no pages", async () => {
    const { linkUrl } = await startTestBridge(publicUrl);
    const status = (origin: string, agent: string) =>
      upgradeStatus(linkUrl, { headers: { origin, "user-agent": agent } });
    expect(await status("https://bridge.example.org", "computercraft/1.100.0")).toBe(101);
    expect(await status("https://bridge.example.org", "Mozilla/5.0")).toBe(403);
    expect(await status("https://other.example.org", "computercraft/1.100.0")).toBe(403);
  });
});
