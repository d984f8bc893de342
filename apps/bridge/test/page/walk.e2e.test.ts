// What a page's author meets, with the bridge's own client in a real browser.

import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { BrowserContext } from "playwright-core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import type { Config } from "../../src/index.js";
import { startTestBridge } from "../helpers/bridge.js";
import { chromiumNote, chromiumPath, launchChromium } from "../helpers/chromium.js";
import { foreignServer } from "../helpers/ports.js";
import { connectClient } from "../helpers/sdk-client.js";
import { cases, outcome, reasons, tools, unusable } from "./schema-cases.js";

interface Shown {
  readonly name: string;
  readonly description?: string;
  readonly title?: string;
  readonly annotations?: object;
  readonly inputSchema?: unknown;
}

/** A page with these tools. `run` is their code, with `tool`, `args` and `context`. */
function html(bridgeUrl: string, shown: readonly Shown[], run: string): string {
  return `<!doctype html><title>Shop</title><script type="module">
  import { connect } from "${bridgeUrl}/pages.js";
  const session = new URLSearchParams(location.search).get("session") ?? undefined;
  const page = connect({ url: "${bridgeUrl.replace("http", "ws")}", session });
  for (const tool of ${JSON.stringify(shown).replaceAll("<", "\\u003c")}) {
    page.tool({ description: "Takes something.", ...tool, run: (args, context) => ${run} });
  }
</script>`;
}

async function openSite(
  shown: readonly Shown[],
  { run = "JSON.stringify(args)", ...settings }: Partial<Config> & { run?: string } = {},
) {
  let text = "";
  const { port } = await foreignServer("127.0.0.1", 0, (_, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(text);
  });
  const site = `http://127.0.0.1:${port}`;
  const bridge = await startTestBridge({ pagesOrigins: [site], ...settings });
  const bridgeUrl = bridge.pagesUrl.replace(/^ws/, "http");
  text = html(bridgeUrl, shown, run);
  const { browser, close } = await launchChromium();
  onTestFinished(close);
  const open = (query = "") => openTab(browser, site + query);
  const client = await connectClient(bridge.mcpUrl);
  const listed = async () => (await client.listTools()).tools;
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: args })) as CallToolResult;
  const has = (name: string) =>
    vi.waitFor(async () => {
      expect((await listed()).map((tool) => tool.name)).toContain(name);
    });
  return { bridge, bridgeUrl, client, open, listed, call, has };
}

async function openTab(browser: BrowserContext, url: string) {
  const page = await browser.newPage();
  const said: string[] = [];
  page.on("console", (message) => said.push(message.text()));
  await page.goto(url);
  return { page, said };
}

const textsOf = ({ content }: CallToolResult) =>
  content.map((block) => (block.type === "text" ? block.text : block.type));

describe.skipIf(chromiumPath === undefined)(`a page in Chromium${chromiumNote}`, () => {
  it("has its schemas enforced whole; what is over a bound costs one tool, and its console says why", async () => {
    const { open, client, has, call } = await openSite([...tools, ...unusable]);
    const { said } = await open();
    await has("many");
    for (const [name, { good, bad }] of Object.entries(cases)) {
      for (const args of good) expect(await outcome(client, name, args)).toBe(JSON.stringify(args));
      for (const args of bad) expect(await outcome(client, name, args), name).toBe("refused");
    }
    for (const [tool, reason] of Object.entries(reasons)) {
      await vi.waitFor(() => {
        expect(said.find((line) => line.includes(tool) && reason.test(line))).toBeDefined();
      });
    }
    const [whole = ""] = textsOf(await call("list-offered-tools"));
    expect(whole).toContain("anyOf");
  });

  it("has room for thirty ordinary tools, and its console says what has none", async () => {
    const many = Array.from({ length: 30 }, (_, index) => ({
      name: `tool_${index}`,
      description: "Does one of many things that this page can do for its person.",
    }));
    const roomy = await openSite(many);
    await roomy.open();
    await roomy.has("tool_29");
    const count = async (site: typeof roomy) =>
      (await site.listed()).filter(({ name }) => name.startsWith("tool_")).length;
    expect(await count(roomy)).toBe(30);
    const tight = await openSite(many, { offeredBytes: 2_000 });
    const { said } = await tight.open();
    await tight.has("tool_0");
    expect(await count(tight)).toBeLessThan(20);
    await vi.waitFor(() => expect(said.join("\n")).toMatch(/no room/));
    const finder = (await tight.listed()).find(({ name }) => name === "list-offered-tools");
    expect(finder?.description).toMatch(new RegExp(texts.offeredToolsAreNotIn));
    const reached = await tight.call("call-offered-tool", { name: "tool_29" });
    expect(textsOf(reached)).toEqual(["{}"]);
  });

  it("gives its texts unchanged, but for what hides text from people, which is said", async () => {
    const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467} می\u200cخواهم";
    const { open, has, call, listed } = await openSite(
      [{ name: "say", description: family }, { name: "fail" }],
      { run: 'tool.name === "say" ? args.text : Promise.reject(new Error(args.text))' },
    );
    await open();
    await has("say");
    expect((await listed()).find(({ name }) => name === "say")?.description).toContain(family);
    expect(textsOf(await call("say", { text: family }))).toEqual([family]);
    await expect(call("fail", { text: family })).rejects.toThrow(family);
    // The page makes what a client could not send: half of a character.
    for (const hidden of ["\u{e0049}\u{e0067}", "\u202e", "\ud83d"]) {
      const [shown, note] = textsOf(await call("say", { text: `a${hidden}b` }));
      expect(shown).toBe("a\ufffdb");
      if (hidden !== "\ud83d") expect(note).toMatch(/^\[\d+ invisible character/);
    }
  });

  it("makes halves of characters that no client ever gets", async () => {
    const { open, has, call } = await openSite([{ name: "half" }], {
      run: '"a" + "\\ud83d\\ude00".slice(0, 1) + "b"',
    });
    await open();
    await has("half");
    const [shown, note] = textsOf(await call("half"));
    expect(shown).toBe("a\ufffdb");
    expect(note).toMatch(/^\[1 invisible character/);
  });

  it("gives a long result that its client reads to the end", async () => {
    const { open, has, call } = await openSite([{ name: "long" }], {
      run: '"a" + "\\u{1f422}".repeat(50_000) + "end"',
    });
    await open();
    await has("long");
    let [read = "", next = ""] = textsOf(await call("long"));
    while (next.includes("read-result")) {
      const args = JSON.parse(/\{.*\}/.exec(next)?.[0] ?? "{}");
      const [text = "", after = ""] = textsOf(await call("read-result", args));
      read += text;
      next = after;
    }
    expect(read).toBe(`a${"\u{1f422}".repeat(50_000)}end`);
  });

  it("is named by its title; when it closes, a call says when that was", async () => {
    const { open, has, call, listed } = await openSite([{ name: "buy" }]);
    const { page } = await open();
    await has("buy");
    expect((await listed()).find(({ name }) => name === "buy")?.description).toContain(
      'page "Shop"',
    );
    await page.close();
    await vi.waitFor(async () => {
      expect((await listed()).map(({ name }) => name)).not.toContain("buy");
    });
    await expect(call("buy")).rejects.toMatchObject({
      code: -32601,
      message: expect.stringMatching(/page "Shop" .* closed at \d\d:\d\d\./),
      data: { btcpCode: "TOOL_NOT_FOUND" },
    });
  });

  it("gets no capability before it is there, by nonsense, or without a person's yes", async () => {
    const { open, has, call, bridge } = await openSite([{ name: "buy" }]);
    const ask = async () => {
      const capabilities = ["dom:write", "nonsense:all", "media:camera", "dom:read"];
      const [answer = ""] = textsOf(await call("__btcp_request_capabilities", { capabilities }));
      return JSON.parse(answer);
    };
    const unanswered = {
      granted: ["dom:read"],
      denied: expect.arrayContaining(["nonsense:all", "media:camera"]),
      pending: ["dom:write"],
    };
    expect(await ask()).toEqual(unanswered);
    const { page } = await open();
    await has("buy");
    expect(await ask()).toEqual(unanswered);
    await page.close();
    await vi.waitFor(() => expect(bridge.pages.list()).toEqual([]));
    expect(await ask()).toEqual(unanswered);
  });

  it("passes on titles, hints, structured content, progress and cancellation", async () => {
    const run = `({
      total: () => ({ content: [{ type: "text", text: "three" }], structuredContent: { total: 3 } }),
      steps: () => {
        context.progress(1, 2, "half");
        return "done";
      },
      wait: () => new Promise((_, reject) => {
        document.title = "waiting";
        context.signal.onabort = () => {
          document.title = "cancelled";
          reject(new Error("cancelled"));
        };
      }),
    })[tool.name]()`;
    const annotations = { readOnlyHint: true };
    const { open, has, listed, client } = await openSite(
      [{ name: "total", title: "Count all", annotations }, { name: "steps" }, { name: "wait" }],
      { run, structured: true },
    );
    const { page } = await open();
    await has("wait");
    expect((await listed()).find(({ name }) => name === "total")).toMatchObject({
      title: expect.stringContaining("Count all"),
      annotations,
    });
    expect(await client.callTool({ name: "total", arguments: {} })).toMatchObject({
      content: [{ type: "text", text: "three" }],
      structuredContent: { total: 3 },
    });
    const heard: unknown[] = [];
    await client.callTool({ name: "steps", arguments: {} }, undefined, {
      onprogress: (progress) => heard.push(progress),
    });
    expect(heard).toContainEqual({
      progress: 1,
      message: expect.stringMatching(/page "Shop" .*1 of 2: half/),
    });
    const cancel = new AbortController();
    const waiting = client
      .callTool({ name: "wait", arguments: {} }, undefined, { signal: cancel.signal })
      .catch((error: Error) => error);
    await vi.waitFor(async () => expect(await page.title()).toBe("waiting"));
    cancel.abort();
    expect(await waiting).toBeInstanceOf(Error);
    await vi.waitFor(async () => expect(await page.title()).toBe("cancelled"));
  });

  it("that is one too many in its session hears which setting it is", async () => {
    const { open, bridge } = await openSite([{ name: "buy" }], { maxSessionPages: 1 });
    const first = await open("?session=s1");
    await vi.waitFor(() => expect(bridge.pages.list()).toHaveLength(1));
    const second = await open("?session=s1");
    await vi.waitFor(() => {
      expect(second.said.join("\n")).toContain("CC_PAGES_SESSION_MAX");
    });
    expect(first.said).toEqual([]);
    expect(bridge.pages.list()).toHaveLength(1);
  });

  it("that posts for a session without a stream is answered", async () => {
    const { open, bridgeUrl } = await openSite([]);
    const { page } = await open();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/register", params: {} });
    const post = `fetch(${JSON.stringify(`${bridgeUrl}/message?sessionId=none`)}, {
      method: "POST", headers: { "content-type": "application/json" }, body: ${JSON.stringify(body)},
    }).then(async (answer) => [answer.status, await answer.json()])`;
    expect(await page.evaluate(post)).toMatchObject([409, { id: 7, error: {} }]);
  });
});
