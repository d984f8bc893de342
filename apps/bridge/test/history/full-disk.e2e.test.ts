// A bridge whose history is on a disk that becomes full, and has space again.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { placeComputer, startWorld } from "../computer/helpers.js";
import { WirePage } from "../dashboard/helpers.js";
import type { TestBridge } from "../helpers/bridge.js";
import { freePort } from "../helpers/ports.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { builtProgram, health, spawnBridge } from "../helpers/spawn-bridge.js";

const isRoot = process.getuid?.() === 0;
const [first = "", ...others] = ["unshare", "--mount", ...(isRoot ? [] : ["--map-root-user"])];
const mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs"];
// In a mount namespace that ends with the command.
const canMount = spawnSync(first, [...others, ...mount, tmpdir()]).status === 0;

/** A small disk that outlives the processes that use it. */
async function smallDisk() {
  const place = scratchDirectory();
  const script = '"$@" && echo mounted && read -r _';
  const holder = spawn(first, [...others, "sh", "-c", script, "sh", ...mount, place], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  const inside = ["--target", String(holder.pid), "--mount"];
  const asUser = isRoot ? [] : ["--user", "--preserve-credentials"];
  const filler = `/proc/${holder.pid}/root${place}/filler`;
  return {
    file: join(place, "history.db"),
    command: ["nsenter", ...inside, ...asUser, process.execPath, builtProgram()],
    fill() {
      for (let bytes = 4_194_304; bytes >= 1; bytes /= 2) {
        try {
          writeFileSync(filler, Buffer.alloc(bytes), { flag: "a" });
        } catch {
          // Less fits.
        }
      }
    },
    clear: () => rmSync(filler),
  };
}

it.skipIf(!canMount)(
  "full disk: shown everywhere, in no one's way, and nothing promised is lost",
  async () => {
    const disk = await smallDisk();
    const settings = {
      ...{ MCP_PORT: String(await freePort()), CC_LINK_PORT: String(await freePort()) },
      ...{ CC_HISTORY: "on", CC_HISTORY_FILE: disk.file, MCP_STRUCTURED: "on" },
    };
    let bridge = await spawnBridge([], settings, disk.command);
    const computer = await placeComputer(await startWorld());
    computer.type(`mcp-computer ${bridge.linkUrl}\n`);
    const linked = () =>
      vi.waitFor(
        async () => expect(await health(bridge.mcpUrl)).toMatchObject({ computers: 1 }),
        60_000,
      );
    await linked();
    let client = await connectClient(bridge.mcpUrl);
    const begin = async (code: string) => {
      const begun = await callTool(client, "exec-lua", { computerId: 12, code, waitMs: 0 });
      return String((begun.structuredContent as { jobId: string }).jobId);
    };
    const trouble = async () => {
      const { history } = (await health(bridge.mcpUrl)) as { history: { trouble?: string } };
      return history.trouble;
    };
    const promised = [await begin("sleep(5) return 'before'")];
    expect(await trouble()).toBeUndefined();

    disk.fill();
    const output = 'print(("%d"):format(os.epoch()):rep(2000))';
    await vi.waitFor(async () => {
      promised.push(await begin(`${output} return 'meanwhile'`));
      expect(await trouble()).toMatch(/full|disk/);
    }, 60_000);
    await bridge.line((line) => line.includes('"history cannot be saved and waits in memory"'));
    const page = await new WirePage({ mcpPort: bridge.mcpPort } as TestBridge).hello();
    const shown = page.watch("numbers", {});
    await shown.first(({ history }) => /full|disk/.test(history.trouble ?? ""));
    // Calls go on, and do not wait for the disk.
    const begunAt = performance.now();
    promised.push(await begin("return 'meanwhile'"));
    expect(performance.now() - begunAt).toBeLessThan(2_000);

    disk.clear();
    await vi.waitFor(async () => expect(await trouble()).toBeUndefined(), 60_000);
    await bridge.line((line) => line.includes('"history is saved again"'));
    await shown.first(({ history }) => history.trouble === null);
    promised.push(await begin("return 'after'"));
    await bridge.kill("SIGKILL");

    bridge = await spawnBridge([], settings, disk.command);
    await linked();
    client = await connectClient(bridge.mcpUrl);
    for (const jobId of promised) {
      const { structuredContent, text } = await callTool(client, "get-job", {
        jobId,
        waitMs: 20_000,
      });
      expect(structuredContent, text).toMatchObject({ jobId, state: "done" });
      expect(text).toMatch(/before|meanwhile|after/);
    }
  },
);
