// What lists look like with 5,000 entries: nothing is cut in the middle, and all of it can be reached.

import { builtInKinds, Kinds, OfferedCatalog, runTool, tools } from "@ccbridge/mcp-tools";
import { encodeFrame, SAFE_FRAME_BYTES, splitFrame } from "@ccbridge/protocol";
import {
  type ComputerProvider,
  Computers,
  createLocalPort,
  isComputer,
  Registry,
} from "@ccbridge/registry";
import { connectInMemory } from "@ccbridge/registry/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";

const CROWD = 5_000;
/** Clients cut longer texts in the middle. */
const MOST = 12_000;

type Respond = (request: { id: string; method: string }, send: (frame: object) => void) => void;

const pong: Respond = ({ id }, send) => send({ type: "response", id, ok: true, result: "pong" });

function crowd(
  count: number,
  respond: (id: number) => Respond = () => pong,
  { step = 1, ...hello }: { step?: number; [field: string]: unknown } = {},
) {
  const registry = new Registry({ maxLinks: CROWD + 10 });
  const computers = new Computers(registry, { bridge: { name: "test", version: "0" } });
  onTestFinished(() => registry.close());
  for (let index = 1; index <= count; index += 1) {
    const computerId = index * step;
    const answer = respond(computerId);
    const send = (frame: object) => end.send(JSON.stringify(frame));
    const end = connectInMemory(computers, {
      receive(text) {
        const frame = JSON.parse(text);
        if (frame.type === "request") answer(frame, send);
      },
    });
    send({
      ...{ type: "hello", computerId, computerLabel: `worker ${computerId}`, protocol: 2 },
      ...{ instance: `i${computerId}`, methods: ["ping", "exec-lua"], ...hello },
    });
  }
  const providers = createLocalPort(registry);
  const kinds = new Kinds(builtInKinds);
  const settings = {
    ...{ probeTimeoutMs: 200, execWaitMs: 0, cancelGraceMs: 100, structured: false, kinds },
    linkCommand: "mcp-computer ws://bridge",
  };
  const offered = new OfferedCatalog(providers, [], kinds);
  const call = async (name: string, args: object = {}, most = MOST, more: object = {}) => {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const { signal } = new AbortController();
    const context = { providers, settings, offered, signal, ...more };
    const { content } = await runTool(tool, args, context);
    const [part] = content;
    const text = part?.type === "text" ? part.text : "";
    expect(text).not.toContain("characters left out");
    expect(Buffer.byteLength(text)).toBeLessThan(most);
    return text;
  };
  return { registry, call };
}

/** Follows "call ... with offset N" to the end, and returns all lines. */
async function allPages(call: (offset: number) => Promise<string>): Promise<string[]> {
  const lines: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const text = await call(offset);
    lines.push(...text.split("\n"));
    const next = /with offset (\d+)/.exec(text)?.[1];
    expect(next === undefined || Number(next) > offset).toBe(true);
    offset = next === undefined ? undefined : Number(next);
  }
  return lines;
}

describe(`of ${CROWD} computers`, () => {
  it("probe-computers names first all that did not answer, and counts the others", async () => {
    const silent: Respond = () => {};
    const broken: Respond = ({ id }, send) =>
      send({ type: "response", id, ok: false, error: "no firmware" });
    const { call } = crowd(CROWD, (id) => (id % 1_000 === 7 ? silent : id === 44 ? broken : pong));
    const text = await call("probe-computers");
    const lines = text.split("\n");
    const bad = [7, 44, 1_007, 2_007, 3_007, 4_007];
    expect(lines.slice(0, bad.length).map((line) => /from (\d+)/.exec(line)?.[1])).toEqual(
      bad.map(String),
    );
    const pongs = lines.filter((line) => line.startsWith("pong from ")).length;
    expect(lines.at(-1)).toBe(fill(texts.andMoreAnsweredCall, CROWD - bad.length - pongs, pongs));
    expect(await call("probe-computers", { offset: 4_990 })).toMatch(
      /^pong from [^\n]*worker 4997/,
    );
  });

  it("probe-computers loses none when most of them are silent", async () => {
    const { call } = crowd(CROWD, (id) => (id % 3 === 0 ? pong : () => {}));
    // Ids alone, since none may be missing: more than is usual, but less than what is cut.
    const text = await call("probe-computers", {}, 32_000);
    const named = new Set<number>();
    for (const [, id] of text.matchAll(/^timeout from (\d+) /gm)) named.add(Number(id));
    const others = /^timeout also from (.*)$/m.exec(text)?.[1]?.split(", ") ?? [];
    for (const range of others) {
      const [from = 0, to = from] = range.split("-").map(Number);
      for (let id = from; id <= to; id += 1) named.add(id);
    }
    const silent = Array.from({ length: CROWD }, (_, at) => at + 1).filter((id) => id % 3 !== 0);
    expect(silent.filter((id) => !named.has(id))).toEqual([]);
  });

  it("probe-computers loses none where their ids are far apart", async () => {
    const { call } = crowd(CROWD, () => () => {}, { step: 7 });
    const text = await call("probe-computers");
    const last = CROWD * 7;
    const named = text.match(/^timeout from \d+ /gm)?.length ?? 0;
    expect(text).toMatch(new RegExp(`^timeout also from ${(named + 1) * 7}-${last}$`, "m"));
  });

  it("list-computers shows each once, page by page", async () => {
    const { call } = crowd(CROWD);
    const first = await call("list-computers", { limit: 100 });
    expect(first).toContain(`${CROWD} computers are linked`);
    const lines = await allPages((offset) => call("list-computers", { offset, limit: 100 }));
    const ids = lines.flatMap((line) => /^(\d+) \(Label: worker/.exec(line)?.[1] ?? []);
    expect(ids.map(Number)).toEqual(Array.from({ length: CROWD }, (_, at) => at + 1));
  });
});

describe("of one computer", () => {
  /** A computer that answers one method, as the program in the game does: in chunks where it must. */
  const answering = (method: string, result: (params: { offset?: number }) => unknown) =>
    crowd(
      1,
      () => (request, send) => {
        if (request.method !== method) return;
        const { id, params = {} } = request as { id: string; params?: object };
        const frame = { type: "response", id, ok: true, result: result(params) } as const;
        const parts = splitFrame(encodeFrame(frame), SAFE_FRAME_BYTES, `t${id}`);
        for (const part of parts) send(JSON.parse(part));
      },
      { methods: [method], features: ["chunk"], maxFrame: SAFE_FRAME_BYTES },
    ).call;

  it(`list-files shows ${CROWD} files, page by page`, async () => {
    const file = (at: number) => ({ path: `/logs/day${at}.txt`, isDir: false, size: at });
    const call = answering("list-files", ({ offset = 0 }) => {
      const entries = Array.from({ length: Math.min(200, CROWD - offset) }, (_, at) =>
        file(offset + at),
      );
      return { path: "/logs", total: CROWD, files: CROWD, bytes: 1, entries };
    });
    const lines = await allPages((offset) =>
      call("list-files", { computerId: 1, path: "/logs", offset, limit: 200 }),
    );
    expect(new Set(lines.filter((line) => line.startsWith("/logs/day"))).size).toBe(CROWD);
  });

  it("list-peripherals and list-inventory show all that a computer may report", async () => {
    const most = 4_096;
    const name = (at: number) => `minecraft:chest_${at}`;
    const all = Array.from({ length: most }, (_, at) => at);
    const peripherals = answering("list-peripherals", () => ({
      peripherals: all.map((at) => ({ name: name(at), types: ["minecraft:chest"], methods: [] })),
    }));
    const names = (
      await allPages((offset) => peripherals("list-peripherals", { computerId: 1, offset }))
    )
      .join("\n")
      .matchAll(/minecraft:chest_(\d+)/g);
    expect(new Set([...names].map(([, at]) => at)).size).toBe(most);
    const inventories = answering("list-inventory", () => ({
      inventories: all.map((at) => ({
        ...{ name: name(at), types: ["minecraft:chest"], size: 27 },
        slots: [{ slot: 1, name: "minecraft:coal", count: at % 64 }],
      })),
    }));
    const lines = await allPages((offset) =>
      inventories("list-inventory", { computerId: 1, offset }),
    );
    expect(new Set(lines.filter((line) => /^minecraft:chest_\d+ \(/.test(line))).size).toBe(most);
  });
});

it(`list-jobs shows ${CROWD} jobs, page by page`, async () => {
  const { registry, call } = crowd(CROWD, () => () => {});
  const code = "while true do sleep(1) end -- a program with a long first line of its own";
  for (const { provider } of [...registry.sessions()]) {
    const { computerId } = provider as ComputerProvider;
    await call("exec-lua", { computerId, code, waitMs: 0 });
  }
  const lines = await allPages((offset) => call("list-jobs", { offset, limit: 50 }));
  expect(lines.filter((line) => line.includes(" running on "))).toHaveLength(CROWD);
});

it(`list-offered-tools shows ${CROWD} tools and what cannot be used, page by page`, async () => {
  const each = 50;
  const { registry, call } = crowd(CROWD / each, () => pong, { features: ["tools"] });
  for (const session of registry.sessions()) {
    const tools = Array.from({ length: each }, (_, at) => ({
      name: `tool_${isComputer(session.provider) ? session.provider.computerId : 0}_${at}`,
      description: "Does something useful for the base, as its name says.",
      inputSchema: { type: "object", properties: { count: { type: "integer" } } },
    }));
    const broken = [{ file: "/mcp-tools/door.lua", problem: "a key that is unknown ".repeat(15) }];
    registry.offered.offer(session.provider, { tools, broken });
  }
  const lines = await allPages((offset) => call("list-offered-tools", { offset }));
  expect(new Set(lines.filter((line) => /^tool_\w+: /.test(line))).size).toBe(CROWD);
  const broken = lines.filter((line) => line.startsWith("Not usable: "));
  expect(new Set(broken).size).toBe(CROWD / each);
});

it(`permissions shows ${CROWD}, page by page`, async () => {
  const { call } = crowd(0);
  const held = Array.from({ length: CROWD }, (_, at) => ({
    ...{ id: `p${at}`, client: "helper", tool: "exec-lua", until: Date.now(), grantedBy: "owner" },
    targets: [{ key: `${at}`, name: `computer ${at} (Label: worker ${at})` }],
  }));
  const permissions = { list: () => held, revoke: () => undefined };
  const lines = await allPages((offset) => call("permissions", { offset }, MOST, { permissions }));
  expect(lines.filter((line) => / may use exec-lua on /.test(line))).toHaveLength(CROWD);
});

it("an unknown label and a label of many name only some computers", async () => {
  const { call } = crowd(CROWD, () => pong, { computerLabel: "worker" });
  const code = { code: "return 1" };
  const unknown = await call("exec-lua", { computerId: "nobody", ...code });
  expect(unknown).toContain(texts.noLinkedComputerHas);
  expect(await call("exec-lua", { computerId: "worker", ...code })).toContain(
    `"worker" matches ${CROWD} computers`,
  );
  expect(await call("list-jobs")).toMatch(new RegExp(texts.noJobsWhatPlayers));
});
