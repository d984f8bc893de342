import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { startWithTokens } from "../calls/helpers.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { connectClient } from "../helpers/sdk-client.js";
import { SocketPage } from "./socket-page.js";

const origin = "http://localhost:5173";

function start(settings: Parameters<typeof startTestBridge>[0] = {}) {
  return startTestBridge({ pagesOrigins: [origin], ...settings });
}

const open = (bridge: TestBridge) => SocketPage.open(`${bridge.pagesUrl}/ws`);

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  return (await client.callTool({ name, arguments: args })) as CallToolResult;
}

const textsOf = ({ content }: CallToolResult) =>
  content.map((block) => (block.type === "text" ? block.text : block.type));

describe("what a page says of its tools", () => {
  it("has a title and hints, which clients see and the bridge does not rely on", async () => {
    const lines = "owner-token-0123456789\nreader-token-0123456789 name=reader mode=look";
    const bridge = await startWithTokens(lines, { pagesOrigins: [origin] });
    const page = await open(bridge);
    await page.register(
      { name: "look", title: "Look \u202earound", annotations: { readOnlyHint: true, x: 1 } },
      { name: "pay", annotations: { readOnlyHint: true, consequentialHint: true } },
    );
    const client = await bridge.connect("owner-token-0123456789");
    const { tools } = await client.listTools();
    const found = (name: string) => tools.find((tool) => tool.name === name);
    expect(found("look")?.annotations).toEqual({
      ...{ readOnlyHint: true, destructiveHint: false, openWorldHint: true },
    });
    expect(found("look")?.title).toMatch(/^"?Look .*around"?$/);
    expect(found("look")?.title).not.toContain("\u202e");
    expect(found("pay")?.annotations).toMatchObject({ destructiveHint: true, readOnlyHint: false });
    const reader = await bridge.connect("reader-token-0123456789");
    const seen = (await reader.listTools()).tools.map(({ name }) => name);
    expect(seen).not.toContain("look");
  });

  it("has the hints that hold for every page that offers it", async () => {
    const bridge = await start();
    await (await open(bridge)).register({ name: "look", annotations: { readOnlyHint: true } });
    await (await open(bridge)).register("look");
    const { tools } = await (await connectClient(bridge.mcpUrl)).listTools();
    expect(tools.filter(({ name }) => name === "look")).toMatchObject([
      { title: "Look", annotations: { readOnlyHint: false, destructiveHint: true } },
    ]);
  });
});

describe("a result of a page", () => {
  it("brings structured content to programs, and its JSON to models", async () => {
    for (const structured of [true, false]) {
      const bridge = await start({ structured });
      const page = await open(bridge);
      const structuredContent = { total: 3 };
      page.handlers.set("both", () => ({
        content: [{ type: "text", text: "three" }],
        structuredContent,
      }));
      page.handlers.set("bare", () => ({ content: [], structuredContent }));
      await page.register("both", "bare");
      const client = await connectClient(bridge.mcpUrl);
      const both = await call(client, "both");
      expect(textsOf(both)).toEqual(["three"]);
      expect(both.structuredContent).toEqual(structured ? structuredContent : undefined);
      expect(textsOf(await call(client, "bare"))).toEqual(['{"total":3}']);
    }
  });

  it("is cut when it is long, and can be read to its end by its client alone", async () => {
    const lines = "owner-token-0123456789\nother-token-0123456789 name=other";
    const bridge = await startWithTokens(lines, { pagesOrigins: [origin] });
    const page = await open(bridge);
    // The limit of a piece falls into the middle of a character.
    const whole = `a${"🐢".repeat(50_000)}end`;
    const data =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    page.handlers.set("long", () => ({
      content: [
        { type: "text", text: whole },
        { type: "image", data, mimeType: "image/png" },
      ],
    }));
    await page.register("long");
    const client = await bridge.connect("owner-token-0123456789");
    const [first = "", note = "", picture] = textsOf(await call(client, "long"));
    expect(picture).toBe("image");
    expect(first.length).toBeLessThanOrEqual(32_768);
    let read = first;
    let next = note;
    for (let pieces = 0; next.includes("read-result"); pieces++) {
      expect(pieces).toBeLessThan(10);
      const args = JSON.parse(/\{.*\}/.exec(next)?.[0] ?? "{}");
      const [text = "", after = ""] = textsOf(await call(client, "read-result", args));
      read += text;
      next = after;
    }
    expect(read).toBe(whole);
    const args = JSON.parse(/\{.*\}/.exec(note)?.[0] ?? "{}");
    const other = await bridge.connect("other-token-0123456789");
    expect(textsOf(await call(other, "read-result", args))[0]).toContain("no longer kept");
    const past = { ...args, offset: whole.length };
    expect(textsOf(await call(client, "read-result", past))[0]).toContain("ends at 100004");
  });

  it("may be preceded by progress, which the client hears", async () => {
    const bridge = await start();
    const page = await open(bridge);
    await page.register("slow");
    const client = await connectClient(bridge.mcpUrl);
    const heard: (string | undefined)[] = [];
    const calling = client.callTool({ name: "slow", arguments: {} }, undefined, {
      onprogress: ({ message }) => heard.push(message),
    });
    const { id } = await page.until(({ method }) => method === "tools/call");
    const params = { progressToken: id, progress: 3, total: 10, message: "third\nchapter" };
    page.send({ method: "notifications/progress", params });
    await vi.waitFor(() =>
      expect(heard).toEqual(['page http://localhost:5173 reports "3 of 10: third\\nchapter"']),
    );
    page.send({ id: id ?? null, result: "done" });
    expect(textsOf((await calling) as CallToolResult)).toEqual(["done"]);
  });
});

describe("an invalid session id", () => {
  it("is refused by every transport", async () => {
    const bridge = await start();
    const url = `${bridge.mcpUrl}?session=a%20b`;
    const headers = { accept: "application/json, text/event-stream" };
    for (const path of [url, url.replace("/mcp?", "/mcp/sse?")]) {
      const response = await fetch(path, { headers });
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining("A session id is"),
      ]);
    }
    const socket = new WebSocket(url.replace("http:", "ws:"), "mcp");
    onTestFinished(() => socket.terminate());
    const error = await new Promise<Error>((resolve) => socket.on("error", resolve));
    expect(error.message).toContain("400");
  });
});

it("a registration that is nested too deep is answered with its id", async () => {
  const bridge = await start();
  const page = await open(bridge);
  const deep = `${'{"a":'.repeat(300)}1${"}".repeat(300)}`;
  page.socket.send(
    `{"jsonrpc":"2.0","id":"r-1","method":"tools/register","params":{"tools":[{"name":"x","inputSchema":${deep}}]}}`,
  );
  const { error } = await page.until(({ id }) => id === "r-1");
  expect(error?.message).toContain("nested 30");
});
