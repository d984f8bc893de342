import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { expect, it, onTestFinished, vi } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { chromiumNote, chromiumPath, launchChromium } from "../helpers/chromium.js";
import { foreignServer } from "../helpers/ports.js";
import { connectClient } from "../helpers/sdk-client.js";

const body = `<form toolname="search" tooldescription="Searches the shop." toolautosubmit>
<input name="words"><button>Go</button></form>
<script>
document.modelContext.registerTool({
  name: "add", description: "Adds two numbers.", annotations: { readOnlyHint: true },
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  execute: async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
});
const end = new AbortController();
document.modelContext.registerTool(
  { name: "brief", description: "Goes soon.", execute: async () => "here" }, { signal: end.signal });
document.forms[0].addEventListener("submit", (event) => {
  event.preventDefault();
  event.respondWith(Promise.resolve("found " + event.target.words.value));
});
</script>`;

it.skipIf(chromiumPath === undefined).each([
  ["the browser's own WebMCP", ["--enable-features=WebMCP"]],
  ["the polyfill", ["--disable-features=WebMCP"]],
])(`one tag bridges the tools and forms of a page: %s${chromiumNote}`, async (_, flags) => {
  let bridgeUrl = "";
  const { port } = await foreignServer("127.0.0.1", 0, (_request, response) => {
    const tag = `<script src="${bridgeUrl}/webmcp.js" data-name="Shop"></script>`;
    response
      .writeHead(200, { "content-type": "text/html" })
      .end(`<!doctype html><title>t</title>${tag}${body}`);
  });
  const site = `http://127.0.0.1:${port}`;
  const bridge = await startTestBridge({ pagesOrigins: [site] });
  bridgeUrl = bridge.pagesUrl.replace(/^ws/, "http");
  const { browser, close } = await launchChromium(flags);
  onTestFinished(close);
  const page = await browser.newPage();
  await page.goto(site);
  const client = await connectClient(bridge.mcpUrl);
  const offered = async () =>
    (await client.listTools()).tools
      .filter(({ description = "" }) => description.includes('page "Shop"'))
      .map(({ name }) => name)
      .sort();
  await vi.waitFor(async () => expect(await offered()).toEqual(["add", "brief", "search"]), 20_000);
  const call = async (name: string, args: Record<string, unknown>) =>
    ((await client.callTool({ name, arguments: args })) as CallToolResult).content[0];
  expect(await call("add", { a: 2, b: 3 })).toEqual({ type: "text", text: "5" });
  await expect(call("add", { a: "2" })).rejects.toThrow("a must be a number");
  expect(await call("search", { words: "lamp" })).toEqual({ type: "text", text: "found lamp" });
  await page.evaluate("end.abort()");
  await vi.waitFor(async () => expect(await offered()).toEqual(["add", "search"]), 20_000);
});
