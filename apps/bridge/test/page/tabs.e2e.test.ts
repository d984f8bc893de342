import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, vi } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { chromiumNote, chromiumPath, startChromium } from "../helpers/chromium.js";
import { foreignServer } from "../helpers/ports.js";
import { connectClient } from "../helpers/sdk-client.js";

const html = (bridgeUrl: string) => `<!doctype html><title>Shop</title><script type="module">
  import { connect } from "${bridgeUrl.replace("ws", "http")}/pages.js";
  const offer = (name) => {
    const page = connect({ url: "${bridgeUrl}" });
    page.tool({ name: "where", description: "d", run: () => location.hash + name });
  };
  offer("");
  // As a hot update does: the module runs again, and what it made before is still there.
  globalThis.update = () => offer(" updated");
</script>`;

async function setUp() {
  let bridgeUrl = "";
  const { port } = await foreignServer("127.0.0.1", 0, (_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(html(bridgeUrl));
  });
  const site = `http://127.0.0.1:${port}`;
  const bridge = await startTestBridge({ pagesOrigins: [site] });
  bridgeUrl = bridge.pagesUrl;
  let links = 0;
  void bridge.registry.changes.subscribe(() => (links += 1), { topics: ["linked"] });
  const client = await connectClient(bridge.mcpUrl);
  const call = async (args: Record<string, unknown> = {}) => {
    const { content } = (await client.callTool({
      name: "where",
      arguments: args,
    })) as CallToolResult;
    return content.map((block) => (block.type === "text" ? block.text : block.type)).join();
  };
  const browser = await startChromium();
  const page = await browser.newPage();
  await page.goto(`${site}/#a`);
  await vi.waitFor(async () => expect(await call()).toBe("#a"));
  return { site, bridge, page, browser, call, links: () => links };
}

const pagesOf = ({ pages }: Awaited<ReturnType<typeof startTestBridge>>) =>
  pages.list().map(({ provider }) => provider.tab);

describe.skipIf(chromiumPath === undefined)(`tabs of Chromium${chromiumNote}`, () => {
  it("stay one page over reloads and hot updates", async () => {
    const { bridge, page, call, links } = await setUp();
    const [tab] = pagesOf(bridge);
    await page.evaluate("update()");
    await vi.waitFor(async () => expect(await call()).toBe("#a updated"));
    expect(links()).toBe(1);
    await page.reload();
    await vi.waitFor(async () => expect(await call()).toBe("#a"));
    expect(pagesOf(bridge)).toEqual([tab]);
  });

  it("that are copies of each other are two pages, and neither replaces the other for long", async () => {
    const { site, bridge, page, browser, call, links } = await setUp();
    const opened = browser.waitForEvent("page");
    // A window that a page opens has a copy of its sessionStorage, as a duplicated tab has.
    await page.evaluate(`void open(${JSON.stringify(`${site}/#b`)})`);
    const copy = await opened;
    const key = "sessionStorage.getItem('ccbridge-tab') + '.1'";
    await vi.waitFor(async () => {
      expect(await page.evaluate(key)).not.toBe(await copy.evaluate(key));
      expect(pagesOf(bridge)).toHaveLength(2);
    });
    const count = links();
    expect(count).toBeLessThanOrEqual(3);
    await Promise.all([page.reload(), copy.reload()]);
    await vi.waitFor(async () => {
      expect(pagesOf(bridge).sort()).toEqual(
        [await page.evaluate(key), await copy.evaluate(key)].sort(),
      );
      expect(links()).toBe(count + 2);
    });
    await copy.close();
    await vi.waitFor(async () => expect(await call()).toBe("#a"));
  });
});
