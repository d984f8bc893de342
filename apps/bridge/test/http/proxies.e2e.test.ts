import { randomUUID } from "node:crypto";
import dns from "node:dns";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { atPrompt, startWorld } from "../computer/helpers.js";
import { chromiumNote, chromiumPath, launchChromium } from "../helpers/chromium.js";
import { linkComputer, upgradeStatus } from "../helpers/computer.js";
import { freePort } from "../helpers/ports.js";
import {
  hostingBlocks,
  missingProxy,
  type ProxyName,
  startRealProxy,
} from "../helpers/real-proxy.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { secondAddress } from "../helpers/second-address.js";
import { spawnProgram } from "../helpers/spawn-bridge.js";

vi.mock("node:dns/promises", async (original) => {
  const real = await original<typeof import("node:dns/promises")>();
  return {
    ...real,
    lookup: (name: string) =>
      name.endsWith(".example.org")
        ? Promise.resolve({ address: "127.0.0.1", family: 4 })
        : real.lookup(name),
  };
});

const realLookup = dns.lookup;
beforeEach(() => {
  vi.spyOn(dns, "lookup").mockImplementation(((name: string, ...rest: unknown[]) =>
    (realLookup as (...args: unknown[]) => void)(
      name.endsWith(".example.org") ? "127.0.0.1" : name,
      ...rest,
    )) as typeof dns.lookup);
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
});
afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const client = secondAddress ?? "127.0.0.1";

interface Report {
  mcpUrl: string;
  dashboardUrl: string;
  linkUrls: string[];
  gameCommand: string;
  allowCommand: string;
  clientConfigs: { text: string }[];
}

async function host(proxy: ProxyName) {
  const ports = { mcp: await freePort(), link: await freePort(), public: await freePort() };
  const folder = scratchDirectory();
  const tokens = { link: randomUUID(), mcp: randomUUID() };
  for (const side of ["link", "mcp"] as const) {
    writeFileSync(join(folder, `${side}-tokens`), `${tokens[side]}\n`, { mode: 0o600 });
  }
  const command = hostingBlocks("sh").find((typed) => typed.includes("--mcp-public-url")) ?? "";
  const [name, ...flags] = command
    .replaceAll("\\\n", "")
    .replaceAll(".example.org", `.example.org:${ports.public}`)
    .trim()
    .split(/\s+/);
  expect(name).toBe("ccbridge");
  const audit = join(folder, "audit.log");
  const bridge = spawnProgram(
    [...flags, "--mcp-port", String(ports.mcp), "--cc-link-port", String(ports.link)],
    { HOME: folder, CC_AUDIT_FILE: audit },
    undefined,
    { cwd: folder },
  );
  const logged = async (msg: string) =>
    JSON.parse(await bridge.line((line) => line.includes(`"msg":"${msg}"`))) as object;
  const report = (await logged("bridge started")) as Report;
  await startRealProxy(proxy, ports);
  const bridgeName = `bridge.example.org:${ports.public}`;
  const mcpName = `mcp.example.org:${ports.public}`;
  return { bridge, report, tokens, ports, audit, logged, bridgeName, mcpName };
}

async function ask(url: string, headers: Record<string, string> = {}) {
  const forged = { "x-forwarded-for": "192.0.2.99", ...headers };
  const sent = get(url, { headers: forged, localAddress: client, agent: false });
  const [response] = await once(sent, "response");
  return { status: response.statusCode as number, text: await text(response) };
}

describe.each(["nginx", "caddy"] as const)("docs/hosting.md with %s", (proxy) => {
  const missing = missingProxy(proxy);
  it.skipIf(missing !== undefined)(
    `links a computer and serves clients under the public addresses ${missing ?? ""}`,
    async () => {
      const { report, tokens, ports, audit, logged, bridgeName, mcpName, bridge } =
        await host(proxy);
      expect(report).toMatchObject({
        mcpUrl: `https://${mcpName}/mcp`,
        linkUrls: [`wss://${bridgeName}`],
        gameCommand: `wget run https://${bridgeName}/install.lua?token=YOUR_TOKEN`,
        allowCommand: expect.stringMatching(`ccbridge.* allow --address ${bridgeName}$`),
      });
      expect(bridge.lines.filter((line) => line.includes('"level":40'))).toEqual([]);
      for (const { text: config } of report.clientConfigs) expect(config).toContain(report.mcpUrl);

      const world = await startWorld();
      const computer = world.computer({ id: 12, label: "base" });
      computer.turnOn();
      await computer.until(() => atPrompt(computer));
      const typed = report.gameCommand.replace("YOUR_TOKEN", tokens.link);
      computer.type(`${typed} --no-autostart\n`);
      await logged("computer linked");

      const authorization = { authorization: `Bearer ${tokens.mcp}` };
      const mcp = await connectClient(report.mcpUrl, authorization);
      const ran = await callTool(mcp, "exec-lua", {
        computerId: 12,
        code: 'return settings.get("mcp_computer.url")',
      });
      expect(ran.text).toContain(`wss://${bridgeName}`);

      const health = await ask(`https://${mcpName}/health`);
      expect(Object.keys(JSON.parse(health.text)).sort()).toEqual([
        ...["computers", "name", "ok", "side", "waiting"],
      ]);
      const direct = await fetch(`http://127.0.0.1:${ports.mcp}/health`);
      expect(await direct.json()).not.toHaveProperty("version");
      const refused = await ask(`https://${mcpName}/mcp`, { authorization: "Bearer wrong" });
      expect(refused.status).toBe(401);
      expect(await logged("MCP token refused")).toMatchObject({ address: client });
      const refusal = readFileSync(audit, "utf8")
        .split("\n")
        .find((line) => line.includes("token-refused"));
      expect(JSON.parse(refusal ?? "{}")).toMatchObject({ address: client });
      const url = `wss://${bridgeName}`;
      await linkComputer(
        url,
        { computerId: 7, token: "wrong" },
        { localAddress: client, headers: { "x-forwarded-for": "192.0.2.99" } },
      );
      expect(await logged("link token refused")).toMatchObject({ address: client });
      expect(await upgradeStatus(url, { origin: "https://evil.example" })).toBe(403);
    },
  );

  const reason = missing === undefined ? chromiumNote : ` (${missing})`;
  it.skipIf(reason !== "" || chromiumPath === undefined)(
    `shows the dashboard, which connects and knows the public addresses${reason}`,
    async () => {
      const { report, tokens, bridgeName, mcpName } = await host(proxy);
      const { browser, close } = await launchChromium([
        "--host-resolver-rules=MAP *.example.org 127.0.0.1",
        "--ignore-certificate-errors",
      ]);
      onTestFinished(close);
      const page = await browser.newPage();
      page.setDefaultTimeout(60_000);
      await page.goto(report.dashboardUrl);
      await page.getByLabel("Token").fill(tokens.mcp);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "No computer is linked yet" }).waitFor();
      await page.getByText(`wget run https://${bridgeName}/install.lua`).waitFor();
      const shown = await page.locator("body").textContent();
      expect(shown).toContain(`https://${mcpName}/mcp`);
      expect(shown).not.toContain("http://");
      const { fake } = await linkComputer(`wss://${bridgeName}`, {
        computerId: 7,
        label: "farm",
        token: tokens.link,
      });
      await fake.welcomed;
      await page.getByRole("link", { name: "Fleet" }).first().click();
      await page.getByRole("link", { name: /farm/ }).waitFor();
    },
  );
});
