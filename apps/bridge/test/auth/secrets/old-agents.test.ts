import { Feature } from "@ccbridge/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import { texts } from "../../../../../vitest.texts.js";
import { startTestBridge } from "../../helpers/bridge.js";
import { linkHostile, result } from "../../helpers/hostile-computer.js";
import { callTool, connectClient } from "../../helpers/sdk-client.js";

const methods = ["read-file", "search-files", "edit-file", "copy-file", "move-file"];

async function start(features: string[]) {
  const bridge = await startTestBridge();
  const asked: string[] = [];
  await linkHostile(bridge.linkUrl, { computerId: 1, methods, features }, (request, computer) => {
    const { path, from } = request.params;
    asked.push(`${request.method} ${path ?? from}`);
    computer.send(result(request.id, answers[request.method]?.(path)));
  });
  const client = await connectClient(bridge.mcpUrl);
  const call = (name: string, args: object) => callTool(client, name, { computerId: 1, ...args });
  return { asked, call };
}

const match = (path: string) => ({ path, line: 1, text: `found in ${path}` });
const file = {
  path: "/x",
  size: 1,
  hash: "0-1",
  lines: 1,
  endings: "none",
  offset: 0,
  content: "s",
};
const answers: Record<string, (path: unknown) => unknown> = {
  "read-file": () => file,
  "search-files": () => ({
    path: "/",
    searched: 3,
    skipped: 0,
    matches: ["/a.txt", "/.settings", "/.MCP-computer.id"].map(match),
  }),
};

const noise = fc.constantFrom("", "/", "//", "./", "a/../", "/ /", "\\", "b/c/../../");
const spelled = fc
  .tuple(
    noise,
    noise,
    fc.constantFrom(".settings", ".Settings", ".mcp-computer.id", ".MCP-COMPUTER.ID"),
  )
  .chain(([first, second, name]) =>
    fc
      .constantFrom("", "/", "/.", "/x/..", ".", " ")
      .map((end) => `${first}${second}${name}${end}`),
  )
  .chain((path) =>
    fc.constantFrom(path, `/${path}`, `base64:${Buffer.from(path).toString("base64")}`),
  );

it("no tool reads the keys of an agent that has them in its settings, however their path is written", async () => {
  const { asked, call } = await start([Feature.cancel]);
  const property = fc.asyncProperty(spelled, async (path) => {
    for (const [name, args] of [
      ["read-file", { path, offset: 3, maxBytes: 1 }],
      ["search-files", { path, query: "a" }],
      ["edit-file", { path, oldText: "a", newText: "b" }],
      ["copy-file", { from: path, to: "/copy" }],
      ["copy-file", { from: path, to: "/copy", move: true }],
    ] as const) {
      const { isError, text } = await call(name, args);
      expect(isError, `${name} ${path}: ${text}`).toBe(true);
      expect(text).toContain(texts.noToolReadsItUpdate);
    }
  });
  await fc.assert(property, { numRuns: 50 });
  expect(asked).toEqual([]);
  expect((await call("read-file", { path: "/notes.txt" })).isError).not.toBe(true);
  const { text } = await call("search-files", { query: "found" });
  expect(text).toContain("found in /a.txt");
  expect(text).not.toMatch(/found in \/\.(settings|mcp)/i);
});

it("an agent that keeps its keys elsewhere shows the player's settings", async () => {
  const { call } = await start([Feature.cancel, Feature.keys]);
  expect((await call("read-file", { path: "/.settings" })).isError).not.toBe(true);
  const { text } = await call("search-files", { query: "found" });
  expect(text).toContain("found in /.settings");
});
