import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { programText } from "@ccbridge/lua-agent";
import { linkContract } from "@ccbridge/registry/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { isLinked } from "./helpers.js";

const wrapper = process.env.CC_TWEAKED;
const computerId = 12;

/** Boots a computer of the game's own core that links itself, and ends it with the test. */
async function linkRealComputer(bridge: TestBridge, ...flags: string[]) {
  if (wrapper === undefined) throw new Error("CC_TWEAKED names no wrapper");
  const data = scratchDirectory();
  const root = join(data, "computer", String(computerId));
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "mcp-computer.lua"), programText);
  const command = ["mcp-computer", bridge.linkUrl, ...flags].map((word) => JSON.stringify(word));
  writeFileSync(join(root, "startup.lua"), `shell.run(${command.join(", ")})\n`);
  const child = spawn(wrapper, [String(computerId), "base-turtle", "-"], {
    env: { ...process.env, CC_DATA_DIR: data },
    stdio: "ignore",
    // The wrapper may have started others, and all of them have to end.
    detached: true,
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await ended;
  });
  await vi.waitFor(() => expect(isLinked(bridge, computerId)).toBe(true), { timeout: 25_000 });
  return bridge.computers.find(computerId);
}

const title =
  wrapper === undefined
    ? "mcp-computer in CC:Tweaked (skipped: CC_TWEAKED names no wrapper)"
    : "mcp-computer in CC:Tweaked";

// The promises of the link, kept by the real program in the Lua that players have.
describe.skipIf(wrapper === undefined)(title, () => {
  for (const { name, run } of linkContract) {
    it(name, { timeout: 60_000 }, async () => {
      const bridge = await startTestBridge();
      await run(await linkRealComputer(bridge), bridge.registry.jobs);
    });
  }

  it("shares the player's prompt, which can be seen and controlled", {
    timeout: 60_000,
  }, async () => {
    const bridge = await startTestBridge();
    await linkRealComputer(bridge, "share");
    const client = await connectClient(bridge.mcpUrl);
    const { text, isError } = await callTool(client, "send-input", {
      computerId,
      steps: [{ text: "label get" }, { key: "enter" }],
      waitFor: 'is "base-turtle"',
      waitMs: 20_000,
    });
    expect([isError, text]).toEqual([undefined, expect.stringContaining('is "base-turtle"')]);
  });

  it("stays on when code that catches every error is cancelled", { timeout: 60_000 }, async () => {
    const bridge = await startTestBridge();
    const link = await linkRealComputer(bridge);
    const code = "while true do pcall(function() while true do end end) end";
    const job = bridge.registry.jobs.start(link, {
      method: "exec-lua",
      params: { code },
      summary: "",
    });
    await link.request("ping", undefined, { timeoutMs: 5_000 });
    bridge.registry.jobs.stop(job, "cancelled");
    await vi.waitFor(() => expect(job.state).toBe("cancelled"), { timeout: 10_000 });
    await expect(link.request("ping", undefined, { timeoutMs: 5_000 })).resolves.toMatchObject({
      ok: true,
    });
  });
});
