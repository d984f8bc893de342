import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { annotationsOf, selectTools } from "@ccbridge/mcp-tools";
import { expect, it } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { bearer } from "../calls/helpers.js";
import { endlessProgram, linkComputer } from "../helpers/computer.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient, stdioClient } from "../helpers/sdk-client.js";
import { spawnBridge, spawnProgram } from "../helpers/spawn-bridge.js";

it("a call that the bridge did not survive is in the audit", async () => {
  const audit = join(scratchDirectory(), "audit.log");
  const bridge = await spawnBridge([], { CC_AUDIT_FILE: audit });
  const { code, programs, running } = endlessProgram();
  await linkComputer(bridge.linkUrl, { computerId: 3, programs });
  const client = await connectClient(bridge.mcpUrl);
  callTool(client, "exec-lua", { computerId: 3, code }).catch(() => {});
  await running;
  await bridge.kill("SIGKILL");
  const lines = readFileSync(audit, "utf8").trimEnd().split("\n");
  const calls = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "call");
  expect(calls).toMatchObject([{ phase: "before", tool: "exec-lua", code }]);
});

it.skipIf(process.platform === "win32")("SIGHUP has the tokens read again", async () => {
  const file = join(scratchDirectory(), "tokens");
  writeFileSync(file, "t-one\n");
  const bridge = await spawnBridge([], { MCP_TOKENS_FILE: file });
  const one = await connectClient(bridge.mcpUrl, bearer("t-one"));
  writeFileSync(file, "t-two name=bob mode=look\n");
  bridge.child.kill("SIGHUP");
  await bridge.line((line) => line.includes("MCP_TOKENS_FILE was reloaded"));
  await expect(one.listTools()).rejects.toThrow();
  await connectClient(bridge.mcpUrl, bearer("t-two"));
  expect(bridge.lines.join("\n")).not.toContain("t-two");
});

it("a bad line refuses the start, with the file and the line", async () => {
  const file = join(scratchDirectory(), "tokens");
  writeFileSync(file, "# people\nt-one mode=god\n");
  const program = spawnProgram([], { MCP_TOKENS_FILE: file, MCP_PORT: "0", CC_LINK_PORT: "0" });
  expect((await program.exited).code).toBe(1);
  expect(program.stderr()).toContain(fill(texts.mcpTokensFileLine, file));
  expect(program.stderr()).not.toContain("t-one");
});

it("over stdio a read-only bridge refuses calls that act", async () => {
  const { client } = await stdioClient({
    MCP_PORT: "0",
    CC_LINK_PORT: "0",
    CC_READ_ONLY: "true",
    CC_SYNC_FOLDERS: `a=${scratchDirectory()}`,
  });
  const { tools: listed } = await client.listTools();
  expect(listed.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  const tools = selectTools(["all"], { servers: false });
  // Managing the bridge does not count as acting in the game.
  const acting = tools.filter(
    (tool) => !annotationsOf(tool).readOnlyHint && tool.isForOwners !== true,
  );
  for (const { name } of acting) {
    const refused = await callTool(client, name);
    expect(refused, name).toMatchObject({ isError: true });
  }
});
