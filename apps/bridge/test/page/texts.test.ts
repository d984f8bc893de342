import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { connectClient } from "../helpers/sdk-client.js";
import { SocketPage } from "./socket-page.js";

const origin = "http://localhost:5173";

/** A result, an error, and a description and title with this text, as a client gets them. */
async function everywhere(text: string) {
  const bridge = await startTestBridge({ pagesOrigins: [origin] });
  const page = await SocketPage.open(`${bridge.pagesUrl}/ws`, origin);
  page.handlers.set("say", () => text);
  page.handlers.set("fail", () => {
    throw { code: "EXECUTION_ERROR", message: text };
  });
  await page.register(
    { name: "say", description: text, title: text },
    { name: "fail", inputSchema: { type: "object", properties: { a: { description: text } } } },
  );
  const client = await connectClient(bridge.mcpUrl);
  const { tools } = await client.listTools();
  const { content } = (await client.callTool({ name: "say", arguments: {} })) as CallToolResult;
  const failure = await client
    .callTool({ name: "fail", arguments: {} })
    .catch((error: Error) => error);
  const say = tools.find(({ name }) => name === "say");
  const fail = tools.find(({ name }) => name === "fail");
  const a = fail?.inputSchema.properties?.a as { description?: string } | undefined;
  return {
    result: content.map((block) => (block.type === "text" ? block.text : block.type)),
    error: (failure as Error).message,
    listed: [say?.description ?? "", say?.title ?? "", a?.description ?? ""],
  };
}

it.each([
  ["a family", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}"],
  ["a flag of a sequence", "\u{1f3f3}\ufe0f\u200d\u{1f308}"],
  ["the flag of Scotland", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"],
  ["Persian", "می\u200cخواهم"],
  ["Hindi", "क्\u200dष"],
  ["paired directions", "a \u2067עברית\u2069 b"],
])("%s arrives unchanged in results, errors and descriptions", async (_, text) => {
  const { result, error, listed } = await everywhere(text);
  expect(result).toEqual([text]);
  expect(error).toContain(text);
  for (const each of listed) expect(each).toContain(text);
});

it.each([
  ["tag characters", "\u{e0049}\u{e0067}\u{e006e}"],
  ["an override that is never closed", "\u202e"],
  ["half a character", "\ud83d"],
])("%s are replaced everywhere, and that is said", async (_, hidden) => {
  const { result, error, listed } = await everywhere(`before${hidden}after`);
  const [shown, note] = result;
  expect(shown).toBe("before�after");
  expect(note).toMatch(/^\[\d+ invisible characters? w/);
  expect(error).toMatch(/before�after.*\[\d+ invisible characters? w/);
  const [description, title, property] = listed;
  // A JSON string shows what it is.
  for (const text of [description, title]) {
    expect(text).toMatch(/before(\\u[0-9a-f]{4})+after/);
    expect(text).not.toContain(hidden);
  }
  expect(property).toBe("before�after");
});
