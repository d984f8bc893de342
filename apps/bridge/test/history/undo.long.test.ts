// Ten thousand random changes by several clients, on a computer with the real program, while the bridge is killed again
// and again: every earlier point comes back, byte for byte. CRASH_SEED and EDITS choose another run.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inventoryPeripheral, WiredNetwork } from "@ccbridge/cc-host";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, it, vi } from "vitest";
import { bearer } from "../calls/helpers.js";
import { placeComputer, startWorld } from "../computer/helpers.js";
import { freePort } from "../helpers/ports.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool } from "../helpers/sdk-client.js";
import { health, type SpawnedBridge, spawnBridge } from "../helpers/spawn-bridge.js";
import { randomFrom } from "./crash-scene.js";
import { undoSince } from "./undo-scene.js";

const EDITS = Number(process.env.EDITS ?? 10_000);
const FILES = Math.max(12, Math.ceil(EDITS / 33));
const POINTS = 12;
const KILLED_UNDOS = 2;
const NAMES = ["one", "two", "three"];
const SIDES = ["left", "right", "top"];
const CHESTS = [0, 1, 2].map((n) => `minecraft:chest_${n}`);

type Edit = readonly [tool: string, args: Record<string, unknown>];

const pathOf = (n: number) => `/d${n % 20}/f${n}`;

/** One change, chosen at random. Some are refused: then nothing changes. */
function edit(random: () => number, isAlone: boolean): Edit {
  const path = () => pathOf(Math.floor(random() * FILES));
  const text = () =>
    Array.from({ length: Math.floor(random() * 60) }, () =>
      String.fromCharCode(random() < 0.02 ? 10 : 32 + Math.floor(random() * 200)),
    ).join("");
  const bytes = () => Buffer.from(text(), "latin1").toString("base64");
  const choice = random();
  if (choice < 0.35) return ["write-file", { path: path(), content: text() }];
  if (choice < 0.45) return ["write-file", { path: path(), content: bytes(), encoding: "base64" }];
  if (choice < 0.57) return ["write-file", { path: path(), content: text(), append: true }];
  if (choice < 0.63) {
    return ["edit-file", { path: path(), oldText: "a", newText: "bb", replaceAll: true }];
  }
  if (choice < 0.71) return ["delete-file", { path: path() }];
  if (choice < 0.79) {
    const [move, overwrite] = [random() < 0.5, random() < 0.5];
    return ["copy-file", { from: path(), to: path(), move, overwrite }];
  }
  if (choice < 0.94) return ["exec-lua", { code: program(path, text, random) }];
  // Two who set the same side at once take each other's value for that of a third.
  if (!isAlone) return ["write-file", { path: path(), content: "" }];
  if (choice < 0.97) {
    const side = SIDES[Math.floor(random() * SIDES.length)];
    return ["redstone", { side, strength: Math.floor(random() * 16) }];
  }
  const [from, to] = [0, 1, 2].sort(() => random() - 0.5);
  const count = 1 + Math.floor(random() * 4);
  const item = random() < 0.5 ? "iron_ingot" : "coal";
  return ["move-items", { item, from: CHESTS[from ?? 0], to: CHESTS[to ?? 1], count }];
}

/** Writes files by itself. */
function program(path: () => string, text: () => string, random: () => number): string {
  const lines = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const choice = random();
    const at = JSON.stringify(path());
    if (choice < 0.15) return `fs.delete(${at})`;
    if (choice < 0.3) return `pcall(fs.move, ${at}, ${JSON.stringify(path())})`;
    if (choice < 0.4) return `pcall(fs.copy, ${at}, ${JSON.stringify(path())})`;
    const mode = choice < 0.6 ? "a" : "w";
    const written = JSON.stringify(Buffer.from(text()).toString("base64"));
    return `local f = fs.open(${at}, "${mode}") f.write(${written}) f.close()`;
  });
  return lines.map((line) => `do ${line} end`).join(" ");
}

it("every earlier point comes back", async () => {
  const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);
  process.stdout.write(`CRASH_SEED=${seed} EDITS=${EDITS}\n`);
  const random = randomFrom(seed);
  const folder = scratchDirectory();
  const tokens = ["owner", ...NAMES].map((name) => `t-${name} name=${name} rate=90000/min\n`);
  writeFileSync(join(folder, "tokens"), tokens.join("").replace(" rate=90000/min", ""), {
    mode: 0o600,
  });
  const settings = {
    ...{ MCP_PORT: String(await freePort()), CC_LINK_PORT: String(await freePort()) },
    ...{ CC_HISTORY: "on", CC_HISTORY_FILE: join(folder, "history.db"), HOME: folder },
    ...{ MCP_TOKENS_FILE: join(folder, "tokens"), MCP_STRUCTURED: "on" },
  };
  const world = await startWorld();
  const computer = await placeComputer(world, { capacity: 8_000_000 });
  const network = new WiredNetwork();
  const items = (name: string) => ({ name: `minecraft:${name}`, count: 60 });
  for (let n = 0; n < CHESTS.length; n++) {
    const held = { 1: items("iron_ingot"), 2: items("coal") };
    network.add(inventoryPeripheral({ items: held, size: 27 }, network));
  }
  network.connect(computer, "back");

  let bridge: SpawnedBridge = await spawnBridge([], settings);
  let clients: Client[] = [];
  const connect = async (name: string) => {
    const client = new Client({ name: "test", version: "0" });
    client.onerror = () => {};
    const url = new URL(bridge.mcpUrl);
    const requestInit = { headers: bearer(`t-${name}`) };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    return client;
  };
  const linked = async () => {
    await vi.waitFor(
      async () => expect(await health(bridge.mcpUrl)).toMatchObject({ computers: 1 }),
      60_000,
    );
    clients = await Promise.all(["owner", ...NAMES].map(connect));
  };
  const owner = (name: string, args: object = {}) =>
    callTool(clients[0] as Client, name, { ...args });
  computer.type(`mcp-computer ${bridge.linkUrl}\n`);
  await linked();

  /** All that the changes are about. */
  const snapshot = async () => {
    // Jobs that outlived a bridge end first.
    await vi.waitFor(async () => {
      expect((await owner("list-jobs", { state: "running" })).structuredContent).toMatchObject({
        jobs: [],
      });
    }, 60_000);
    await owner("list-changes");
    const files: Record<string, string> = {};
    for (let n = 0; n < FILES; n++) {
      const path = pathOf(n);
      if (computer.fs.exists(path)) files[path] = computer.fs.readBytes(path).toString("latin1");
    }
    const { structuredContent: lamps } = await owner("redstone", { computerId: 12 });
    const { sides } = lamps as { sides: { side: string; output: number }[] };
    const { structuredContent: chests } = await owner("list-inventory", { computerId: 12 });
    const { inventories } = chests as {
      inventories: { name: string; slots: { item: string; count: number }[] }[];
    };
    const held: Record<string, number> = {};
    for (const { name, slots } of inventories) {
      for (const { item, count } of slots) {
        held[`${item} in ${name}`] = (held[`${item} in ${name}`] ?? 0) + count;
      }
    }
    const outputs = sides.map(({ side, output }) => `${side} ${output}`);
    return { files, outputs, held };
  };

  const points: { at: number; state: Awaited<ReturnType<typeof snapshot>> }[] = [];
  const counts = { done: 0, refused: 0, unknown: 0, kills: 0 };
  let made = 0;
  const work = async (index: number, until: number, isKilled: () => boolean) => {
    while (made < until && !isKilled()) {
      made += 1;
      const [tool, args] = edit(random, index === 1);
      try {
        const { isError } = await callTool(clients[index] as Client, tool, {
          computerId: 12,
          ...args,
        });
        counts[isError === true ? "refused" : "done"] += 1;
      } catch (error) {
        if (!isKilled()) throw error;
        counts.unknown += 1;
      }
    }
  };

  for (let point = 1; point <= POINTS; point++) {
    // Times of changes have milliseconds: what comes after this has a later one.
    points.push({ at: Date.now() + 5, state: await snapshot() });
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan((points.at(-1)?.at ?? 0) + 5));
    const end = Math.floor((EDITS * point) / POINTS);
    while (made < end) {
      const killAt = made + 50 + Math.floor(random() * (EDITS / 20));
      let isKilled = false;
      const killing = vi
        .waitFor(() => expect(made >= Math.min(killAt, end)).toBe(true), {
          timeout: 3_600_000,
          interval: 7,
        })
        .then(async () => {
          if (made >= end) return;
          isKilled = true;
          counts.kills += 1;
          await bridge.kill("SIGKILL");
        });
      const working = [1, 2, 3].map((index) => work(index, end, () => isKilled));
      // What is under way when the bridge dies may never be answered.
      await Promise.all([Promise.race([Promise.all(working), killing.then(() => {})]), killing]);
      if (!isKilled) {
        await Promise.all(working);
        continue;
      }
      bridge = await spawnBridge([], settings);
      await linked();
    }
    process.stdout.write(`${made} changes: ${JSON.stringify(counts)}\n`);
  }
  const last = await snapshot();
  const end = Date.now() + 5;

  const restart = async () => {
    await bridge.kill("SIGKILL");
    bridge = await spawnBridge([], settings);
    await linked();
  };
  // Back from point to point. The bridge is killed in the middle of undoing the last ones, and once more in between.
  for (const [index, point] of [...points.entries()].reverse()) {
    const until = points[index + 1]?.at ?? end;
    const undoing = undoSince(clients[0] as Client, point.at, until);
    if (index < POINTS - KILLED_UNDOS) await undoing;
    else {
      const killed = sleep(random() * 3_000).then(restart);
      await Promise.all([killed, undoing.catch(() => {})]);
      await snapshot();
      // What was undone is taken into account, with items that were moved while the bridge was away.
      await undoSince(clients[0] as Client, point.at);
    }
    expect(await snapshot(), `point ${index}`).toEqual(point.state);
    if (index === Math.floor(POINTS / 2)) await restart();
  }
  process.stdout.write(`back at the beginning, over ${points.length} points\n`);
  expect(last).not.toEqual(points[0]?.state);
}, 3_600_000);
