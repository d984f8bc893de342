import { decodeText } from "@ccbridge/protocol";
import { JOB_META_KEY } from "@ccbridge/protocol/screen";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../../vitest.texts.js";
import { connectSessionless, startWithTokens } from "../../calls/helpers.js";
import { isLinked, linkGameComputer, startWorld } from "../../computer/helpers.js";
import { startTestBridge } from "../../helpers/bridge.js";
import { freePort } from "../../helpers/ports.js";
import { callTool, connectClient, stdioClient } from "../../helpers/sdk-client.js";
import { connectHost, plainView, pollView, rendering, viewUri } from "./helpers.js";

const files = {
  "/draw.lua":
    'term.setTextColour(colours.red) term.setCursorPos(1, 1) write("\\1 one") os.pullEvent("go") term.setCursorPos(1, 1) write("\\1 two") os.pullEvent("go") error("enough", 0)',
};

async function start(settings: Parameters<typeof startTestBridge>[0] = {}) {
  const bridge = await startTestBridge({ structured: false, ...settings }, undefined, {
    screenView: plainView(),
  });
  const world = await startWorld();
  const computer = await linkGameComputer(bridge, world, { label: "base", advanced: true, files });
  return { bridge, computer };
}

async function runDraw(client: Awaited<ReturnType<typeof connectHost>>, waits = true) {
  const args = { computerId: 12, command: "draw", waitMs: 0 };
  const result = (await client.callTool({
    name: "run-program",
    arguments: args,
  })) as CallToolResult;
  const jobId = String(result._meta?.[JOB_META_KEY]);
  if (waits) await callTool(client, "read-screen", { jobId, waitFor: "one" });
  return jobId;
}

const go = (client: Awaited<ReturnType<typeof connectHost>>, jobId: string) =>
  callTool(client, "send-input", { jobId, steps: [{ event: "go" }] });

describe("the screen view", () => {
  it("is named by the tools with a screen, in both forms, and listed for clients that show views", async () => {
    const bridge = await startWithTokens("secret", {}, undefined, { screenView: plainView() });
    const plain = await bridge.connect("secret");
    const host = await connectHost(bridge, "secret");
    const modern = await connectSessionless(bridge, "secret");
    const modernHost = await connectSessionless(bridge, "secret", rendering);
    for (const client of [plain, host, modern, modernHost]) {
      const { tools } = await client.listTools();
      const named = tools.filter(({ _meta }) => _meta?.ui !== undefined);
      expect(named.map(({ name }) => name).sort()).toEqual(["read-screen", "run-program"]);
      for (const { _meta, inputSchema } of named) {
        expect(_meta).toEqual({ ui: { resourceUri: viewUri }, "ui/resourceUri": viewUri });
        expect(inputSchema.properties).not.toHaveProperty("view");
      }
      expect(client.getServerCapabilities()?.extensions).toEqual(rendering.extensions);
      const { resources } = await client.listResources();
      const listed = resources.find(({ uri }) => uri === viewUri);
      expect(listed !== undefined).toBe(client === host || client === modernHost);
      const { contents } = await client.readResource({ uri: viewUri });
      const ui = {
        csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
        permissions: {},
        prefersBorder: true,
      };
      const facts = { uri: viewUri, mimeType: "text/html;profile=mcp-app", _meta: { ui } };
      expect(contents).toMatchObject([{ ...facts, text: expect.stringContaining("view") }]);
      if (listed !== undefined) expect(listed).toMatchObject(facts);
    }
  });

  it("is not named by a bridge that was built without it, or has no tools with a screen", async () => {
    for (const [screenView, tools] of [
      [undefined, ["all"]],
      [plainView(), ["slim"]],
    ] as const) {
      const bridge = await startTestBridge({ tools: [...tools] }, undefined, { screenView });
      const client = await connectHost(bridge);
      const { resources } = await client.listResources();
      expect(JSON.stringify([await client.listTools(), resources])).not.toContain("ui://");
      expect(client.getServerCapabilities()).not.toHaveProperty("extensions");
      await expect(client.readResource({ uri: viewUri })).rejects.toThrow("No resource");
    }
  });

  it("waits for a change, reports only what is new, and how the program ended", async () => {
    const { bridge } = await start();
    const client = await connectHost(bridge);
    const jobId = await runDraw(client);
    const first = await pollView(client, { jobId });
    expect(first.view).toMatchObject({ job: jobId, state: "live", mayType: true, computerId: 12 });
    const { screen, version = "" } = first.view ?? {};
    expect(decodeText(screen?.text ?? "", "base64").slice(0, 5)).toBe("\x01 one");
    expect(screen?.foreground).toMatch(/^eeeee/);
    const same = await pollView(client, { jobId, view: { seen: version }, waitMs: 50 });
    expect(same.view).toMatchObject({ version, state: "live" });
    expect(same.view).not.toHaveProperty("screen");
    const next = pollView(client, { jobId, view: { seen: version }, waitMs: 20_000 });
    await go(client, jobId);
    const { view } = await next;
    expect(decodeText(view?.screen?.text ?? "", "base64").slice(0, 5)).toBe("\x01 two");
    const last = pollView(client, { jobId, view: { seen: view?.version ?? "" }, waitMs: 20_000 });
    await go(client, jobId);
    expect((await last).view).toMatchObject({ state: "ended", end: "failed: enough" });
    expect((await pollView(client, { computerId: 12 })).view).toMatchObject({
      state: "ended",
      job: jobId,
    });
  });

  it("learns that the computer went away, and that it is back", async () => {
    const { bridge, computer } = await start();
    const client = await connectHost(bridge);
    const jobId = await runDraw(client);
    const { view } = await pollView(client, { jobId });
    const next = pollView(client, { jobId, view: { seen: view?.version }, waitMs: 20_000 });
    bridge.computers.find(12).close("disconnected", "cut by the test");
    const gone = await next;
    expect(gone.view).toMatchObject({ state: "away", job: jobId });
    expect(gone.view).not.toHaveProperty("screen");
    const back = await pollView(client, {
      jobId,
      view: { seen: gone.view?.version },
      waitMs: 20_000,
    });
    expect(back.view).toMatchObject({ state: "live", version: view?.version });
    computer.shutdown();
    await computer.until(() => !isLinked(bridge, 12));
    expect((await pollView(client, { computerId: 12 })).isError).toBe(true);
  });

  it("reports that there is nothing to see, and what is wrong with its call", async () => {
    const { bridge } = await start();
    const client = await connectHost(bridge);
    const nothing = await pollView(client, { computerId: 12 });
    expect(nothing).toMatchObject({ isError: true, view: undefined });
    expect(nothing.text).toContain("run-program");
    expect((await pollView(client, {})).text).toContain(texts.needsAJobidOr);
    expect((await pollView(client, { jobId: "x".repeat(300) })).text).toContain("There is no job");
    expect((await pollView(client, { computerId: 12, view: { seen: 1 } })).text).toContain("seen");
  });
});

describe("the calls of a view", () => {
  it("may type only where the client may, and a client that may not read is refused", async () => {
    const bridge = await startWithTokens(
      "owner\nguest name=guest mode=look\nblind name=blind tools=exec-lua",
      { structured: false },
      undefined,
      { screenView: plainView() },
    );
    const world = await startWorld();
    await linkGameComputer(bridge, world, { label: "base", files });
    const jobId = await runDraw(await connectHost(bridge, "owner"));
    const guest = await connectHost(bridge, "guest");
    expect((await pollView(guest, { jobId })).view).toMatchObject({
      state: "live",
      mayType: false,
    });
    expect((await go(guest, jobId)).text).toContain("is read-only");
    const blind = await connectHost(bridge, "blind");
    expect((await pollView(blind, { jobId })).text).toContain("does not allow read-screen");
    expect(JSON.stringify(await blind.listResources())).not.toContain(viewUri);
    await expect(blind.readResource({ uri: viewUri })).rejects.toThrow();
  });

  it("are one call a minute for the audit and the rate, while they go well", async () => {
    const bridge = await startWithTokens(
      "few name=few rate=6/h",
      { structured: false },
      undefined,
      { screenView: plainView() },
    );
    const world = await startWorld();
    await linkGameComputer(bridge, world, { label: "base", files });
    const client = await connectHost(bridge, "few");
    const jobId = await runDraw(client, false);
    for (let at = 0; at < 20; at++) {
      expect((await pollView(client, { jobId })).view).toMatchObject({ state: "live" });
    }
    const polls = () => bridge.audit.trail.recent().filter(({ tool }) => tool === "read-screen");
    expect(polls()).toMatchObject([{ outcome: "ok", client: "few" }]);
    for (const args of [{ computerId: 99 }, { computerId: 99 }]) {
      expect((await pollView(client, args)).isError).toBe(true);
    }
    await callTool(client, "read-screen", { jobId });
    expect(polls()).toHaveLength(4);
    await callTool(client, "read-screen", { jobId });
    const refused = await pollView(client, { computerId: 12 });
    expect(refused.text).toContain("used up");
    expect((await pollView(client, { jobId })).view).toMatchObject({ state: "live" });
  });
});

it("a client that shows no views gets the text alone, as before", async () => {
  const { bridge } = await start();
  const client = await connectClient(bridge.mcpUrl);
  const jobId = await runDraw(client);
  const result = await client.callTool({ name: "read-screen", arguments: { jobId } });
  expect(Object.keys(result)).toEqual(["content"]);
});

it("the built program names the view, over stdio too", async () => {
  const ports = { MCP_PORT: String(await freePort()), CC_LINK_PORT: String(await freePort()) };
  const { client } = await stdioClient(ports);
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === "read-screen")?._meta).toHaveProperty("ui");
  const { contents } = await client.readResource({ uri: viewUri });
  expect(contents).toMatchObject([
    { text: expect.stringMatching(/^<!doctype html>.*<\/html>\s*$/s) },
  ]);
});
