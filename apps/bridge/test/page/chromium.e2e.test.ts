import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  type CallToolResult,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge } from "../helpers/bridge.js";
import { chromiumNote, chromiumPath, startChromium } from "../helpers/chromium.js";
import { foreignServer } from "../helpers/ports.js";
import { connectClient } from "../helpers/sdk-client.js";

function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), "utf8");
}

const unlisted = `<!doctype html><title>t</title><script type="module">
  const query = new URLSearchParams(location.search);
  const bridge = query.get("bridge");
  const { connect } = await import(bridge.replace("ws", "http") + "/pages.js");
  const token = query.get("token") ?? undefined;
  const page = connect({ url: bridge, ...(token && { token }) });
  page.tool({ name: "hello", description: "d", run: () => "hi" });
</script>`;

async function setUp() {
  const example = "examples/page/public";
  const script = (body: string) =>
    `<!doctype html><title>t</title><h1>t</h1><script type="module">import { connect } from "/pages.js";
    const page = connect({ url: new URLSearchParams(location.search).get("bridge"), session: "nav" }); ${body}</script>`;
  const files = new Map<string, [type: string, text: string]>([
    ["/", ["text/html", read(`${example}/index.html`)]],
    ["/board.css", ["text/css", read(`${example}/board.css`)]],
    ["/board.js", ["text/javascript", read(`${example}/board.js`)]],
    ["/tools.js", ["text/javascript", read(`${example}/tools.js`)]],
    ["/pages.js", ["text/javascript", read("packages/pages/dist/index.js")]],
    ["/unlisted", ["text/html", unlisted]],
    [
      "/first",
      ["text/html", script('page.tool({ name: "first", description: "d", run: () => 1 });')],
    ],
    [
      "/second",
      ["text/html", script('page.tool({ name: "second", description: "d", run: () => 2 });')],
    ],
  ]);
  const { port } = await foreignServer("127.0.0.1", 0, ({ url = "/" }, response) => {
    const [type, text] = files.get(new URL(url, "http://x").pathname) ?? ["text/plain", ""];
    response.writeHead(200, { "content-type": type }).end(text);
  });
  const site = `http://127.0.0.1:${port}`;
  const bridge = await startTestBridge({ pagesOrigins: [site] });
  const bridgeQuery = `bridge=${encodeURIComponent(bridge.pagesUrl)}`;
  return { bridge, site, bridgeQuery, browser: await startChromium() };
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  return (await client.callTool({ name, arguments: args })) as CallToolResult;
}

async function names(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

const picturePath = fileURLToPath(new URL("../../../../docs/pictures/page.png", import.meta.url));

describe.skipIf(chromiumPath === undefined)(`pages in Chromium${chromiumNote}`, () => {
  it("are changed by an MCP call while the person watches", async () => {
    const { bridge, site, bridgeQuery, browser } = await setUp();
    const page = await browser.newPage();
    await page.goto(`${site}/?${bridgeQuery}`);
    await page.locator('#state[data-state="connected"]').waitFor();
    const client = await connectClient(bridge.mcpUrl);
    await vi.waitFor(async () => expect(await names(client)).toContain("set_board_title"));

    await call(client, "set_board_title", { title: "Creeper Keep" });
    expect(await page.locator("#title").textContent()).toBe("Creeper Keep");
    await call(client, "add_board_task", { text: "Build a wall" });
    await call(client, "finish_board_task", { number: 1 });
    expect(await page.locator("#tasks li.done").allTextContents()).toEqual(["Build a wall"]);
    const { content } = await call(client, "see_board_banner");
    expect(content[0]).toMatchObject({ type: "image", mimeType: "image/png" });

    await expect(call(client, "finish_board_task", { number: 9 })).rejects.toMatchObject({
      message: expect.stringContaining(texts.thereIsNoTaskThe),
      data: { btcpCode: "EXECUTION_ERROR" },
    });
    await expect(call(client, "finish_board_task", { number: "x" })).rejects.toMatchObject({
      data: { btcpCode: "INVALID_PARAMS" },
    });
  });

  it("that navigate change the list of their clients", async () => {
    const { bridge, site, bridgeQuery, browser } = await setUp();
    const client = await connectClient(`${bridge.mcpUrl}?session=nav`);
    const changed = vi.fn();
    client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
    await names(client);
    const page = await browser.newPage();
    await page.goto(`${site}/first?${bridgeQuery}`);
    // Reading the list before the notification would make it unnecessary.
    await vi.waitFor(() => expect(changed).toHaveBeenCalled());
    expect(await names(client)).toContain("first");
    await page.goto(`${site}/second?${bridgeQuery}`);
    await vi.waitFor(async () => {
      expect(changed.mock.calls.length).toBeGreaterThan(1);
      expect(bridge.registry.offered.all().size).toBe(1);
    });
    await vi.waitFor(async () => {
      const listed = await names(client);
      expect(listed).toContain("second");
      expect(listed).not.toContain("first");
    });
    expect((await call(client, "second")).content).toEqual([{ type: "text", text: "2" }]);
  });

  it("of another site see in their console which setting to change", async () => {
    const { site, browser } = await setUp();
    const strict = await startTestBridge({ pagesOrigins: ["http://localhost:1"] });
    const page = await browser.newPage();
    const logged = new Promise<string>((resolve) => {
      page.on("console", (message) => {
        if (message.text().startsWith("ccbridge:")) resolve(message.text());
      });
    });
    await page.goto(`${site}/?bridge=${encodeURIComponent(strict.pagesUrl)}`);
    expect(await logged).toContain(`Add ${site} to CC_PAGES_ORIGINS`);
    await page.locator("#state").getByText("CC_PAGES_ORIGINS").waitFor();
  });

  it("of another site load the bridge's client, which names the setting, or connects with a token", async () => {
    const { site, browser } = await setUp();
    const pagesTokens = ["page-token-0123456789"];
    const strict = await startTestBridge({ pagesOrigins: ["http://localhost:1"], pagesTokens });
    const query = `bridge=${encodeURIComponent(strict.pagesUrl)}`;
    const page = await browser.newPage();
    const refusal = page.waitForEvent("console", (message) =>
      message.text().startsWith("ccbridge:"),
    );
    await page.goto(`${site}/unlisted?${query}`);
    expect((await refusal).text()).toContain(`Add ${site} to CC_PAGES_ORIGINS`);
    await page.goto(`${site}/unlisted?${query}&token=${pagesTokens[0]}`);
    const client = await connectClient(strict.mcpUrl);
    await vi.waitFor(async () => {
      expect((await call(client, "hello")).content).toEqual([{ type: "text", text: "hi" }]);
    });
  });

  it.runIf(process.env.PICTURES !== undefined)("have their picture taken", async () => {
    const { bridge, site, bridgeQuery, browser } = await setUp();
    const page = await browser.newPage();
    await page.goto(`${site}/?${bridgeQuery}`);
    await page.locator('#state[data-state="connected"]').waitFor();
    const client = await connectClient(bridge.mcpUrl);
    await vi.waitFor(async () => expect(await names(client)).toContain("paint_board_banner"));
    await call(client, "set_board_title", { title: "Creeper Keep" });
    for (const text of ["Light up the cave", "Wall around the farm", "Sort the iron"]) {
      await call(client, "add_board_task", { text });
    }
    await call(client, "finish_board_task", { number: 1 });
    const [skin, eyes, mouth] = ["l".repeat(16), "ll....llll....ll", "llll........llll"];
    const nose = "llllll....llllll";
    const corners = "llll..llll..llll";
    const face = [skin, skin, eyes, eyes, eyes, skin, nose, nose, mouth, mouth, mouth];
    await call(client, "paint_board_banner", {
      rows: [...face, corners, corners, skin, skin, skin],
    });
    await page.screenshot({ path: picturePath });
  });
});
