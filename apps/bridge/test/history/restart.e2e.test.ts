// A bridge that is killed without warning, and started again: what it promised is still there.
import { join } from "node:path";
import type { PlacedComputer } from "@ccbridge/cc-host";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { bearer, connectSessionless } from "../calls/helpers.js";
import { placeComputer, startWorld } from "../computer/helpers.js";
import type { TestBridge } from "../helpers/bridge.js";
import { freePort } from "../helpers/ports.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { health, type SpawnedBridge, spawnBridge } from "../helpers/spawn-bridge.js";

interface Scene {
  bridge: SpawnedBridge;
  computer: PlacedComputer;
  client: Client;
  /** Kills the bridge at once, and starts it again with the same settings. */
  crash(): Promise<Client>;
}

async function startScene(env: Record<string, string> = {}, token?: string): Promise<Scene> {
  const settings = {
    ...{ MCP_PORT: String(await freePort()), CC_LINK_PORT: String(await freePort()) },
    ...{ CC_HISTORY: "on", CC_HISTORY_FILE: join(scratchDirectory(), "history.db"), ...env },
  };
  const headers = token === undefined ? {} : bearer(token);
  let bridge = await spawnBridge([], settings);
  const linked = async () => {
    expect(await health(bridge.mcpUrl)).toMatchObject({ computers: 1 });
    return connectClient(bridge.mcpUrl, headers);
  };
  const world = await startWorld();
  const computer = await placeComputer(world);
  computer.type(`mcp-computer ${bridge.linkUrl}\n`);
  const client = await vi.waitFor(linked, 60_000);
  return {
    ...{ bridge, computer, client },
    async crash() {
      await bridge.kill("SIGKILL");
      bridge = await spawnBridge([], settings);
      return vi.waitFor(linked, 60_000);
    },
  };
}

const idIn = (text: string) => /\b[0-9a-f]{18}\b/.exec(text)?.[0] ?? "";

async function exec(client: Client, code: string, more: object = {}) {
  return (await callTool(client, "exec-lua", { computerId: 12, code, ...more })).text;
}

it("finished, running and queued jobs: known as before, and each runs once", async () => {
  const { client, computer, crash } = await startScene({ CC_MAX_JOBS: "1" });
  await exec(client, 'print("printed once") return 42');
  const finished = idIn((await callTool(client, "list-jobs")).text);
  const mark = (name: string) => `local f = fs.open("${name}", "a") f.write("x") f.close()`;
  const wait = 'while not fs.exists("go") do sleep(0.05) end return "survived"';
  const more = { waitMs: 0, timeoutMs: 600_000 };
  const running = idIn(await exec(client, `${mark("first")} ${wait}`, more));
  await computer.until(() => computer.fs.exists("/first"));
  const queued = idIn(await exec(client, `${mark("second")} return "ran later"`, { waitMs: 0 }));
  expect(new Set([finished, running, queued]).size).toBe(3);

  const after = await crash();
  const list = (await callTool(after, "list-jobs")).text;
  for (const id of [finished, running, queued]) expect(list).toContain(id);
  const before = (await callTool(after, "get-job", { jobId: finished })).text;
  expect(before).toContain("printed once");
  expect(before).toContain("42");
  // Its summary is known, and it is not a job of unknown origin.
  expect(list).toContain('fs.open("first"');
  expect(list).not.toContain(texts.earlierRunOfThe);

  computer.fs.write("/go", "");
  const result = await callTool(after, "get-job", { jobId: running, waitMs: 30_000 });
  expect(result.text).toContain("survived");
  const late = await callTool(after, "get-job", { jobId: queued, waitMs: 30_000 });
  expect(late.text).toContain("ran later");
  expect(computer.fs.read("/second")).toBe("x");
  expect(computer.fs.read("/first")).toBe("x");

  // And again, long after memory has nothing of it.
  const third = await crash();
  expect((await callTool(third, "get-job", { jobId: queued })).text).toContain("ran later");
  expect(computer.fs.read("/second")).toBe("x");
});

it("the time limit of a running job counts on from where it was", async () => {
  const { client, crash } = await startScene();
  const more = { waitMs: 0, timeoutMs: 20_000 };
  const id = idIn(await exec(client, "while true do sleep(1) end", more));
  const after = await crash();
  const result = await callTool(after, "get-job", { jobId: id, waitMs: 50_000 });
  expect(result.text).toContain("longer than its timeoutMs");
});

it("events and watches: cursors go on, and a client without a session notices nothing", async () => {
  const { bridge, client, crash } = await startScene();
  const seen = { mcpUrl: bridge.mcpUrl } as TestBridge;
  const watcher = await connectSessionless(seen, "none");
  const call = async (from: typeof watcher, name: string, args: Record<string, unknown> = {}) => {
    const { content } = await from.callTool({ name, arguments: { computerId: 12, ...args } });
    return (content as { text: string }[])[0]?.text ?? "";
  };
  await call(watcher, "watch-events", { events: ["tick"] });
  await exec(client, 'for n = 1, 3 do os.queueEvent("tick", n) end');
  const cursorOf = (text: string) => Number(/"cursor":(\d+)/.exec(text)?.[1] ?? Number.NaN);
  let cursor = 0;
  await vi.waitFor(async () => {
    const text = await call(watcher, "get-events");
    expect(text).toContain("3");
    cursor = cursorOf(text);
    expect(cursor).toBe(3);
  }, 20_000);
  // A read of the store saves what waits.
  await callTool(client, "get-job", { jobId: "none" });

  const after = await crash();
  const again = await connectSessionless(seen, "none");
  await exec(after, 'os.queueEvent("tick", "later")');
  const next = await call(again, "wait-for-event", { name: "tick", cursor, waitMs: 20_000 });
  expect(next).toContain("later");
  const all = await call(again, "get-events", { cursor: 0 });
  expect(all).toContain("later");
  expect(all).not.toContain("not watching");
  expect(all).toContain(texts.eventsOfItsLastSecond);
});

it("an alert is known after the kill, is not delivered twice, and goes on", async () => {
  const { client, computer, crash } = await startScene();
  const alert = async (on: Client, args: object) =>
    (await callTool(on, "create-alert", { ...args })).text;
  await alert(client, { event: "bell", provider: 12, times: 5, everyMs: 1_000, screen: 12 });
  computer.queueEvent("bell", "before");
  // It is saved before it is shown.
  await computer.until(() => computer.screen.text().includes("bell before"));
  const again = await crash();
  const later = await alert(again, {});
  expect(later).toContain("fires up to 4 times");
  expect(later).toContain("bell before");
  await vi.waitFor(async () => {
    computer.queueEvent("bell", "after");
    expect(await alert(again, {})).toContain("bell after");
  }, 20_000);
  expect((await alert(again, {})).match(/bell before/g)).toHaveLength(1);
});
