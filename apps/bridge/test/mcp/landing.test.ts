import { once } from "node:events";
import { get } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";

const browser = { accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8" };

async function textAt(port: number, path: string, headers: Record<string, string>) {
  const [response] = await once(get({ port, path, headers, host: "127.0.0.1" }), "response");
  return text(response);
}

describe("the link port's page", () => {
  it("gives the install line under the address that was asked", async () => {
    const { linkPort } = await startTestBridge();
    const response = await fetch(`http://localhost:${linkPort}/`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await response.text()).toContain(
      `  wget run http://localhost:${linkPort}/install.lua\n`,
    );
  });

  it("shows that a token is needed, but no token", async () => {
    const { linkPort } = await startTestBridge({ linkTokens: ["hush-hush"] });
    const text = await (await fetch(`http://127.0.0.1:${linkPort}/`)).text();
    expect(text).toContain("/install.lua?token=YOUR_TOKEN");
    expect(text).not.toContain("hush");
  });

  it("is a page in a browser that loads nothing else", async () => {
    const { linkPort } = await startTestBridge();
    const response = await fetch(`http://127.0.0.1:${linkPort}/`, { headers: browser });
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await response.text()).toContain("<pre>wget run http://127.0.0.1:");
  });

  it("knows its own name behind a trusted proxy with TLS, and so does the installer", async () => {
    const { linkPort } = await startTestBridge({ trustedProxies: ["127.0.0.1"] });
    const headers = { host: "bridge.example.org", "x-forwarded-proto": "https" };
    expect(await textAt(linkPort, "/", headers)).toContain(texts.wgetRunHttpsBridgeExample);
    expect(await textAt(linkPort, "/install.lua", headers)).toContain('"wss://bridge.example.org"');
  });

  it("does not trust an unknown proxy that the address has TLS", async () => {
    const { linkPort } = await startTestBridge();
    const headers = { host: "bridge.example.org", "x-forwarded-proto": "https" };
    expect(await textAt(linkPort, "/install.lua", headers)).toContain('"ws://bridge.example.org"');
  });

  it("is a place to link, too", async () => {
    const { linkUrl, registry } = await startTestBridge();
    await linkComputer(`${linkUrl}/`, { computerId: 1 });
    expect(registry.size).toBe(1);
  });
});

describe("the packages' page", () => {
  it.each(["/ccpm", "/ccpm/"])("%s lists files that are all there", async (path) => {
    const { linkPort } = await startTestBridge();
    const base = `http://127.0.0.1:${linkPort}`;
    const text = await (await fetch(`${base}${path}`)).text();
    expect(text).toContain(`ccpm registry add ccbridge ${base}/ccpm/`);
    const files = [...text.matchAll(/^ {2}(http\S+\.(?:json|lua))$/gm)].map(([, url = ""]) => url);
    expect(files.length).toBeGreaterThan(4);
    for (const url of files) expect((await fetch(url)).status).toBe(200);
  });

  it("has packages that know the bridge under the address that was asked", async () => {
    const { linkPort } = await startTestBridge();
    const base = `http://localhost:${linkPort}`;
    const program = await (await fetch(`${base}/ccpm/programs/mcp-computer.lua`)).text();
    expect(program).toContain(`settings.set("mcp_computer.url", "ws://localhost:${linkPort}")`);
  });
});

describe("the MCP port's page", () => {
  it("explains what it is, who it is for, and how to link a computer", async () => {
    const { mcpPort, linkUrl } = await startTestBridge();
    await linkComputer(linkUrl, { computerId: 1 });
    const text = await (await fetch(`http://127.0.0.1:${mcpPort}/`)).text();
    expect(text).toContain("ccbridge 1.2.3");
    expect(text).toContain("1 computer is linked now");
    expect(text).toContain(fill(texts.claudeMcpAddScopeUser, mcpPort));
    expect(text).toContain("wget run http://127.0.0.1:");
  });

  it("shows the public addresses", async () => {
    const { mcpPort } = await startTestBridge({
      mcpPublicUrl: "https://mcp.example.org",
      linkPublicUrl: "https://bridge.example.org",
    });
    const text = await (await fetch(`http://127.0.0.1:${mcpPort}/`)).text();
    expect(text).toContain(texts.ccbridgeHttpsMcpExample);
    expect(text).toContain(texts.wgetRunHttpsBridgeExample);
    expect(text).not.toContain("http://");
  });

  it("shows no token and needs none", async () => {
    const { mcpPort } = await startTestBridge({ mcpTokens: ["hush-hush"] });
    const response = await fetch(`http://127.0.0.1:${mcpPort}/`, { headers: browser });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain("Bearer YOUR_TOKEN");
    expect(text).not.toContain("hush");
  });
});
