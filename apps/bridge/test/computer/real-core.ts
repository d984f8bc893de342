import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { programText } from "@ccbridge/lua-agent";
import { expect, onTestFinished, vi } from "vitest";
import type { TestBridge } from "../helpers/bridge.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { isLinked } from "./helpers.js";

export const wrapper = process.env.CC_TWEAKED;
export const computerId = 12;

/** A computer in the game's own core, linked to a bridge. */
export async function startRealComputer(
  bridge: TestBridge,
  {
    flags = [],
    startup = (run) => run,
    files = {},
    quota = 1_000_000,
  }: {
    flags?: readonly string[];
    startup?: (run: string) => string;
    files?: Record<string, string>;
    quota?: number;
  },
) {
  if (wrapper === undefined) throw new Error("CC_TWEAKED names no wrapper");
  const data = scratchDirectory();
  const root = join(data, "computer", String(computerId));
  mkdirSync(root, { recursive: true });
  const onDisk = { "mcp-computer.lua": programText, ...files };
  for (const [name, text] of Object.entries(onDisk)) writeFileSync(join(root, name), text);
  const command = ["mcp-computer", bridge.linkUrl, ...flags].map((word) => JSON.stringify(word));
  writeFileSync(join(root, "startup.lua"), startup(`shell.run(${command.join(", ")})\n`));
  const child = spawn(wrapper, [String(computerId), "base-turtle", "-"], {
    env: { ...process.env, CC_DATA_DIR: data, CC_QUOTA: String(quota) },
    stdio: "ignore",
    detached: true,
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await ended;
  });
  await vi.waitFor(() => expect(isLinked(bridge, computerId)).toBe(true));
  const signal = (name: NodeJS.Signals) => process.kill(-(child.pid as number), name);
  return { link: bridge.computers.find(computerId), root, pid: child.pid as number, signal };
}
