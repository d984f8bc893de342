import { expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { linkHostile, result } from "../helpers/hostile-computer.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

it.each([
  ["goes on forever", (offset: number) => offset + 32_768],
  ["goes on forever, a byte at a time", (offset: number) => offset + 1],
  ["goes back to where it was", (offset: number) => offset],
])("a file that %s is not read forever", async (_, next) => {
  const bridge = await startTestBridge();
  let asked = 0;
  await linkHostile(bridge.linkUrl, { methods: ["read-file"] }, ({ id, params }, computer) => {
    asked += 1;
    const offset = Number(params.offset ?? 0);
    const page = { path: "/a", size: 10, hash: "h", lines: 1, endings: "lf", offset };
    const content = "x".repeat(32_768);
    computer.send(result(id, { ...page, content, nextOffset: next(offset) }));
  });
  const client = await connectClient(bridge.mcpUrl);
  const reading = client.readResource({ uri: "cc://computers/1/files/a" });
  await expect(reading).rejects.toThrow(/never reaches the end/);
  expect(asked).toBeLessThan(300);
});

it.each([999_999_999_999, 1e15])("a folder of %d files is not listed to its end", async (total) => {
  const bridge = await startTestBridge({ syncFolders: [`scripts=${scratchDirectory()}`] });
  let asked = 0;
  const methods = ["list-files", "read-file", "write-file", "delete-file"];
  await linkHostile(bridge.linkUrl, { methods }, ({ id }, computer) => {
    asked += 1;
    const entries = Array.from({ length: 250 }, (_, i) => ({
      path: `/p/${asked}-${i}`,
      hash: "h",
    }));
    computer.send(result(id, { path: "/p", total, files: 1, bytes: 1, entries }));
  });
  const client = await connectClient(bridge.mcpUrl);
  const { isError } = await callTool(client, "sync-folder", {
    computerId: 1,
    folder: "scripts",
    computerPath: "/p",
    direction: "from-computer",
    dryRun: true,
  });
  expect(isError).toBe(true);
  expect(asked).toBeLessThan(5);
});
