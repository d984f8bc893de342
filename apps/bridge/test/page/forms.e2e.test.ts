// Forms that describe themselves as tools, with the browser's own WebMCP and with the polyfill.
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { chromiumNote, chromiumPath, launchChromium } from "../helpers/chromium.js";
import { foreignServer } from "../helpers/ports.js";
import { connectClient } from "../helpers/sdk-client.js";

/** The tag comes before the title, as in a page whose author puts scripts first. */
const html = (bridgeUrl: string) => `<!doctype html><script src="${bridgeUrl}/webmcp.js"></script>
<title>Letters</title>
<form id="subscribe" toolname="subscribe" tooldescription="Subscribes to the letter.">
  <input name="mail" type="email" required toolparamdescription="the address">
  <select name="kind"><option value="daily">Daily</option><option value="weekly">Weekly</option></select>
  <input name="often" type="number" min="1" max="5">
  <input name="terms" type="checkbox">
  <input name="secret" type="password">
  <button>Subscribe</button>
</form>
<form id="strict" toolname="strict" tooldescription="Takes a small number." toolautosubmit>
  <input name="amount" type="number" max="5" required><button>Go</button>
</form>
<script>
  const submitted = [];
  const form = document.querySelector("#subscribe");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submitted.push({ ...Object.fromEntries(new FormData(form)), agent: event.agentInvoked === true });
    event.respondWith?.(Promise.resolve("Subscribed " + form.mail.value));
  });
  document.querySelector("#strict").addEventListener("submit", (event) => {
    event.preventDefault();
    event.respondWith?.(Promise.resolve("took " + event.target.amount.value));
  });
</script>`;

async function open(flag: string) {
  let bridgeUrl = "";
  const { port } = await foreignServer("127.0.0.1", 0, (_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(html(bridgeUrl));
  });
  const site = `http://127.0.0.1:${port}`;
  const bridge = await startTestBridge({ pagesOrigins: [site] });
  bridgeUrl = bridge.pagesUrl.replace(/^ws/, "http");
  const { browser, close } = await launchChromium([flag]);
  onTestFinished(close);
  const page = await browser.newPage();
  await page.goto(site);
  const client = await connectClient(bridge.mcpUrl);
  const offered = async () =>
    (await client.listTools()).tools.filter(({ description = "" }) =>
      description.includes('page "Letters"'),
    );
  const names = async () => (await offered()).map(({ name }) => name).sort();
  await vi.waitFor(async () => expect(await names()).toEqual(["strict", "subscribe"]));
  const call = (name: string, args: Record<string, unknown>, signal?: AbortSignal) =>
    client.callTool({ name, arguments: args }, undefined, {
      ...(signal && { signal }),
    }) as Promise<CallToolResult>;
  return { page, client, offered, names, call };
}

const subscription = { mail: "a@b.example", kind: "weekly", often: 2, terms: true };

describe.skipIf(chromiumPath === undefined).each([
  ["the browser's own WebMCP", "--enable-features=WebMCP"],
  ["the polyfill", "--disable-features=WebMCP"],
])(`a form that is a tool: %s${chromiumNote}`, (_, flag) => {
  it("is filled by a call and submitted by its person alone", async () => {
    const { page, offered, call } = await open(flag);
    const schema = (await offered()).find(({ name }) => name === "subscribe")?.inputSchema;
    expect(schema).toMatchObject({
      properties: { mail: { type: "string", description: "the address" } },
      required: ["mail"],
    });
    // The browser offers every field.
    if (flag.startsWith("--disable")) expect(schema?.properties).not.toHaveProperty("secret");
    let answered = false;
    const calling = call("subscribe", subscription).finally(() => {
      answered = true;
    });
    const mail = page.locator("[name=mail]");
    await vi.waitFor(async () => expect(await mail.inputValue()).toBe("a@b.example"));
    expect(await page.locator("[name=kind]").inputValue()).toBe("weekly");
    expect(await page.locator("[name=often]").inputValue()).toBe("2");
    expect(await page.locator("[name=terms]").isChecked()).toBe(true);
    expect(await page.evaluate("submitted.length")).toBe(0);
    expect(answered).toBe(false);
    await page.getByRole("button", { name: "Subscribe" }).click();
    expect((await calling).content).toEqual([{ type: "text", text: "Subscribed a@b.example" }]);
    expect(await page.evaluate("submitted")).toMatchObject([{ kind: "weekly", agent: true }]);
  });

  it("belongs to its person again when the client cancels the call", async () => {
    const { page, call } = await open(flag);
    const cancel = new AbortController();
    const calling = call("subscribe", subscription, cancel.signal).catch((error: Error) => error);
    const mail = page.locator("[name=mail]");
    await vi.waitFor(async () => expect(await mail.inputValue()).toBe("a@b.example"));
    cancel.abort();
    expect(await calling).toBeInstanceOf(Error);
    await mail.fill("other@b.example");
    await page.getByRole("button", { name: "Subscribe" }).click();
    await vi.waitFor(async () =>
      expect(await page.evaluate("submitted")).toMatchObject([{ mail: "other@b.example" }]),
    );
    const again = call("subscribe", { mail: "third@b.example" });
    await vi.waitFor(async () => expect(await mail.inputValue()).toBe("third@b.example"));
    await page.getByRole("button", { name: "Subscribe" }).click();
    expect((await again).content).toEqual([{ type: "text", text: "Subscribed third@b.example" }]);
  });

  it("that submits itself says what is wrong with its values", async () => {
    const { call } = await open(flag);
    expect((await call("strict", { amount: 5 })).content).toEqual([
      { type: "text", text: "took 5" },
    ]);
    await expect(call("strict", { amount: 6 })).rejects.toThrow();
  });

  it("appears, changes and goes with the page", async () => {
    const { page, offered, names } = await open(flag);
    await page.evaluate(`{
      const added = document.createElement("form");
      added.setAttribute("toolname", "added");
      added.setAttribute("tooldescription", "Was added.");
      added.innerHTML = "<input name='a'><button>Go</button>";
      document.body.append(added);
      form.remove();
    }`);
    await vi.waitFor(async () => expect(await names()).toEqual(["added", "strict"]));
    const added = async () => (await offered()).find(({ name }) => name === "added");
    await page.evaluate(`{
      const added = document.querySelector("[toolname=added]");
      added.setAttribute("tooldescription", "Was changed.");
      added.insertAdjacentHTML("beforeend", "<input name='b'>");
    }`);
    await vi.waitFor(async () => {
      const changed = await added();
      expect(changed?.description).toContain("Was changed.");
      expect(Object.keys(changed?.inputSchema.properties ?? {})).toEqual(["a", "b"]);
    });
    await page.evaluate(`document.querySelector("[toolname=added]").removeAttribute("toolname")`);
    await vi.waitFor(async () => expect(await names()).toEqual(["strict"]));
    await page.goto("about:blank");
    await vi.waitFor(async () => expect(await names()).toEqual([]));
  });
});
