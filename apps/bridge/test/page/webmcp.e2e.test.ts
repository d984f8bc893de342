import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
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

/** A page with the tag of the bridge, and then this. */
async function open(flag: string, html: (bridgeUrl: string) => string) {
  let bridgeUrl = "";
  const { port } = await foreignServer("127.0.0.1", 0, ({ url }, response) => {
    const tag = `<script src="${bridgeUrl}/webmcp.js" data-name="Shop"></script>`;
    const text =
      url === "/frame" ? frame : `<!doctype html><title>t</title>${tag}${html(bridgeUrl)}`;
    response.writeHead(200, { "content-type": "text/html" }).end(text);
  });
  const site = `http://127.0.0.1:${port}`;
  const bridge = await startTestBridge({ pagesOrigins: [site] });
  bridgeUrl = bridge.pagesUrl.replace(/^ws/, "http");
  const { browser, close } = await launchChromium([flag]);
  onTestFinished(close);
  const page = await browser.newPage();
  await page.goto(site);
  const client = await connectClient(bridge.mcpUrl);
  const listed = async () =>
    (await client.listTools()).tools.filter(({ description = "" }) =>
      description.startsWith("Offered on a web page"),
    );
  const offered = async () => (await listed()).map(({ name }) => name).sort();
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    ((await client.callTool({ name, arguments: args })) as CallToolResult).content[0];
  return { bridge, page, listed, offered, call };
}

/** A frame's tool belongs to the frame. */
const frame = `<script>
document.modelContext?.registerTool({
  name: "framed", description: "Is in a frame.", execute: async () => "framed",
});
</script>`;

const asking = `<button id="yes" hidden>Yes</button><iframe src="/frame"></iframe><script>
document.modelContext.registerTool({
  name: "pay", title: "Pay now", description: "Pays.", inputSchema: { type: "object" },
  annotations: { consequentialHint: true },
  async execute(input, client) {
    const ask = () => new Promise((done) => {
      yes.hidden = false;
      yes.onclick = () => done("agreed");
    });
    return "paid, " + (await (client?.requestUserInteraction?.(ask) ?? ask()));
  },
});
</script>`;

const both = (bridgeUrl: string) => `<h1>Shop</h1>
<form toolname="order" tooldescription="Orders." toolautosubmit><input name="item"><button>Order</button></form>
<script type="module">
  import { connect } from "${bridgeUrl}/pages.js";
  const page = connect({ url: "${bridgeUrl.replace("http", "ws")}", name: "Shop" });
  page.tool({ name: "greet", title: "Greet", description: "Greets.", annotations: { readOnlyHint: true },
    inputSchema: { type: "object", properties: { to: { type: "string", pattern: "^[A-Z]" } } },
    run: ({ to }) => "Hello " + to });
</script>`;

describe.skipIf(chromiumPath === undefined).each([
  ["the browser's own WebMCP", "--enable-features=WebMCP"],
  ["the polyfill", "--disable-features=WebMCP"],
])(`one tag, with %s${chromiumNote}`, (_, flag) => {
  it("bridges the tools and forms of a page", async () => {
    const { page, listed, offered, call } = await open(flag, () => body);
    await vi.waitFor(async () => {
      expect(await offered()).toEqual(["add", "brief", "search"]);
    });
    for (const { description } of await listed()) expect(description).toContain('page "Shop"');
    expect(await call("add", { a: 2, b: 3 })).toEqual({ type: "text", text: "5" });
    await expect(call("add", { a: "2" })).rejects.toThrow("a must be a number");
    expect(await call("search", { words: "lamp" })).toEqual({ type: "text", text: "found lamp" });
    await page.evaluate("end.abort()");
    await vi.waitFor(async () => expect(await offered()).toEqual(["add", "search"]));
  });

  it("lets a tool ask the person, passes on its title and hints, and leaves out those of frames", async () => {
    const { page, listed, offered, call } = await open(flag, () => asking);
    await vi.waitFor(async () => expect(await offered()).toEqual(["pay"]));
    const [pay] = await listed();
    expect(pay).toMatchObject({ annotations: { destructiveHint: true, readOnlyHint: false } });
    expect(pay?.title).toContain("Pay now");
    let answer: unknown;
    const calling = call("pay").then((block) => {
      answer = block;
    });
    await page.locator("#yes").waitFor();
    expect(answer).toBeUndefined();
    await page.locator("#yes").click();
    await calling;
    expect(answer).toEqual({ type: "text", text: "paid, agreed" });
    expect(await offered()).toEqual(["pay"]);
  });

  it("may be on a page that connects by itself: each tool is offered once", async () => {
    const { bridge, page, listed, offered, call } = await open(flag, both);
    await vi.waitFor(async () => expect(await offered()).toEqual(["greet", "order"]));
    expect(await call("greet", { to: "Ada" })).toEqual({ type: "text", text: "Hello Ada" });
    await expect(call("greet", { to: "<b>" })).rejects.toThrow();
    expect((await listed()).find(({ name }) => name === "greet")).toMatchObject({
      annotations: { readOnlyHint: true },
    });
    const own = `document.modelContext.getTools().then((all) => all.map(({ name }) => name).sort())`;
    await vi.waitFor(async () => expect(await page.evaluate(own)).toEqual(["greet", "order"]));
    const tabs = () => bridge.pages.list().map(({ provider }) => provider.tab);
    const before = tabs().sort();
    await page.reload();
    await vi.waitFor(async () => expect(await offered()).toEqual(["greet", "order"]));
    expect(tabs().sort()).toEqual(before);
  });
});
