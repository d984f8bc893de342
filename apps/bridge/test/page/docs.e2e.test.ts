import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { chromiumNote, chromiumPath, launchChromium } from "../helpers/chromium.js";
import { foreignServer } from "../helpers/ports.js";
import { connectClient } from "../helpers/sdk-client.js";

const docs = readFileSync(
  fileURLToPath(new URL("../../../../docs/pages.md", import.meta.url)),
  "utf8",
);

/** The whole pages that the docs show, in their order. */
const [plain = "", webmcp = ""] = [...docs.matchAll(/```html\n( *<!doctype html>.*?)```/gs)].map(
  ([, text = ""]) => text,
);

/** What the docs say a Content Security Policy must allow. */
const [, policy = ""] = /`(script-src [^`]*connect-src [^`]*)`/.exec(docs) ?? [];

async function open(text: string, flags: string[] = []) {
  let shown = "";
  const { port } = await foreignServer("127.0.0.1", 0, (_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(shown);
  });
  const site = `http://127.0.0.1:${port}`;
  const bridge = await startTestBridge({ pagesOrigins: [site] });
  const address = bridge.pagesUrl.replace("ws:", "http:");
  shown = text
    .replace("http://127.0.0.1:8765", address)
    .replace("connect({", `connect({ url: "${bridge.pagesUrl}",`);
  const { browser, close } = await launchChromium(flags);
  onTestFinished(close);
  const page = await browser.newPage();
  await page.goto(site);
  const client = await connectClient(bridge.mcpUrl);
  const call = async (name: string, args: Record<string, unknown>) =>
    ((await client.callTool({ name, arguments: args })) as CallToolResult).content;
  const has = (...names: string[]) =>
    vi.waitFor(async () => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    });
  return { page, call, has };
}

describe.skipIf(chromiumPath === undefined)(`the pages of the docs${chromiumNote}`, () => {
  it("work as plain HTML", async () => {
    const { page, call, has } = await open(plain);
    await has("add_item");
    await call("add_item", { name: "milk" });
    expect(await page.locator("#list li").allTextContents()).toEqual(["milk"]);
  });

  it.each(["--enable-features=WebMCP", "--disable-features=WebMCP"])(
    "work with WebMCP (%s)",
    async (flag) => {
      const { page, call, has } = await open(webmcp, [flag]);
      await has("order", "set_heading");
      expect(await call("order", { item: "a lamp" })).toEqual([
        { type: "text", text: "a lamp is ordered." },
      ]);
      await call("set_heading", { text: "Hello" });
      expect(await page.locator("h1").textContent()).toBe("Hello");
    },
  );

  it.each([
    ["what the docs ask for", policy, true],
    ["no connection", policy.replace(/connect-src \S+/, "connect-src 'self'"), false],
    ["no script", policy.replace(/script-src \S+/, "script-src"), false],
  ])("work under a Content Security Policy that allows %s", async (_, allowed, works) => {
    expect(policy).toContain("connect-src");
    let addresses = { http: "", ws: "" };
    const { port } = await foreignServer("127.0.0.1", 0, ({ url }, response) => {
      const { http, ws } = addresses;
      if (url === "/main.js") {
        const offer = `import { connect } from "${http}/pages.js";
          connect({ url: "${ws}" }).tool({ name: "hello", description: "d", run: () => "hi" });`;
        return response.writeHead(200, { "content-type": "text/javascript" }).end(offer);
      }
      const header = allowed
        .replace("script-src", "script-src 'self'")
        .replace("http://127.0.0.1:8765", http)
        .replace("ws://127.0.0.1:8765", ws);
      const text = '<!doctype html><title>t</title><script type="module" src="/main.js"></script>';
      response
        .writeHead(200, { "content-type": "text/html", "content-security-policy": header })
        .end(text);
    });
    const site = `http://127.0.0.1:${port}`;
    const bridge = await startTestBridge({ pagesOrigins: [site] });
    addresses = { http: bridge.pagesUrl.replace("ws:", "http:"), ws: bridge.pagesUrl };
    const { browser, close } = await launchChromium();
    onTestFinished(close);
    const page = await browser.newPage();
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    await page.goto(site);
    if (works) {
      await vi.waitFor(() => expect(bridge.registry.offered.all().size).toBe(1));
      expect(said).toEqual([]);
    } else {
      await vi.waitFor(() => expect(said.join()).toContain("Content Security Policy"));
      expect(bridge.pages.list()).toEqual([]);
    }
  });
});
