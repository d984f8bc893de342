import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { expect, it, onTestFinished, vi } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { chromiumNote, chromiumPath, launchChromium } from "../helpers/chromium.js";
import { foreignServer } from "../helpers/ports.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { connectClient } from "../helpers/sdk-client.js";

const TOKEN = "page-token-0123456789";

function repository(path: string): string {
  return fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
}

/** The extension, with the right to the test's page: a test cannot click the button, which gives it that right. */
function unpacked(): string {
  const folder = scratchDirectory();
  cpSync(repository("examples/webmcp-extension"), folder, { recursive: true });
  cpSync(repository("packages/pages/dist/webmcp.js"), join(folder, "webmcp.js"));
  const file = join(folder, "manifest.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...manifest, host_permissions: ["http://127.0.0.1/*"] }));
  return folder;
}

const html = `<!doctype html><title>Shop</title>
<form toolname="search" tooldescription="Searches the shop." toolautosubmit>
<input name="words"><button>Go</button></form>
<script>
document.modelContext.registerTool({
  name: "add", description: "Adds two numbers.",
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  execute: async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
});
</script>`;

it.skipIf(chromiumPath === undefined)(
  `the extension offers the tools of a page that knows nothing of the bridge${chromiumNote}`,
  async () => {
    const { port } = await foreignServer("127.0.0.1", 0, (_, response) => {
      // No script and no connection of elsewhere: the page itself could not load /webmcp.js.
      const policy = "default-src 'self'; script-src 'unsafe-inline'; connect-src 'none'";
      response
        .writeHead(200, { "content-type": "text/html", "content-security-policy": policy })
        .end(html);
    });
    const bridge = await startTestBridge({ pagesTokens: [TOKEN] });
    const folder = unpacked();
    const { browser, close } = await launchChromium([
      "--enable-features=WebMCP",
      `--load-extension=${folder}`,
      `--disable-extensions-except=${folder}`,
    ]);
    onTestFinished(close);
    const worker = browser.serviceWorkers()[0] ?? (await browser.waitForEvent("serviceworker"));
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${port}`);
    await worker.evaluate(
      `chrome.storage.local.set(${JSON.stringify({ url: bridge.pagesUrl, token: TOKEN })})`,
    );
    const click = () =>
      worker.evaluate(
        "chrome.tabs.query({ active: true, url: 'http://127.0.0.1/*' }).then(([tab]) => toggle(tab.id))",
      );
    await click();
    const client = await connectClient(bridge.mcpUrl);
    const offered = async () =>
      (await client.listTools()).tools
        .filter(({ description = "" }) => description.includes('page "Shop"'))
        .map(({ name }) => name)
        .sort();
    await vi.waitFor(async () => expect(await offered()).toEqual(["add", "search"]));
    const result = (await client.callTool({
      name: "add",
      arguments: { a: 2, b: 3 },
    })) as CallToolResult;
    expect(result.content).toEqual([{ type: "text", text: "5" }]);
    expect(await page.evaluate("typeof globalThis.ccbridge")).toBe("undefined");
    await click();
    await vi.waitFor(async () => expect(await offered()).toEqual([]));
  },
);
