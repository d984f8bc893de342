import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileHash } from "@ccbridge/protocol";
import { LinkErrorCode } from "@ccbridge/registry";
import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { Audit } from "../../src/calls/audit/audit.js";
import { Trail } from "../../src/calls/audit/trail.js";
import { silentLogger } from "../../src/index.js";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import type { TestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { FakeMod } from "../server/fake-mod.js";
import { startWireBridge, tokenFile, WirePage } from "./helpers.js";

vi.setConfig({ testTimeout: 60_000 });

const patience = { timeout: 30_000 };

function keyOf(bridge: TestBridge, computerId = 12): string {
  return bridge.computers.find(computerId).provider.key;
}

interface Line {
  readonly [name: string]: unknown;
}

function linesOf(path: string): Line[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

async function startAudited(settings: Parameters<typeof startWireBridge>[0] = {}) {
  const auditFile = join(scratchDirectory(), "audit.log");
  const bridge = await startWireBridge({ auditFile, ...settings });
  const ended = (tool: string) =>
    linesOf(auditFile).filter((line) => line.tool === tool && line.phase === "after");
  return { bridge, ended };
}

describe("a file that a page reads", () => {
  it("is one version of it, whatever is written meanwhile", async () => {
    const bridge = await startWireBridge();
    const world = await startWorld();
    const before = "a".repeat(200_000);
    const after = "b".repeat(200_000);
    const computer = await linkGameComputer(bridge, world, { files: { "/big.txt": before } });
    const link = bridge.computers.find(12);
    const receive = link.receive.bind(link);
    link.receive = (text) => {
      if (text.includes("nextOffset")) computer.fs.write("/big.txt", after);
      receive(text);
    };
    const page = await new WirePage(bridge).hello();
    const { content, hash, problem } = await page.act("read-file", {
      key: keyOf(bridge),
      path: "/big.txt",
    });
    expect(computer.fs.read("/big.txt")).toBe(after);
    if (content === null) expect(problem).toMatch(/changed/);
    else expect(fileHash(Buffer.from(content))).toBe(hash);
    link.receive = receive;
    const whole = await page.act("read-file", { key: keyOf(bridge), path: "/big.txt" });
    expect(whole.content).toBe(after);
    expect(whole.hash).toBe(fileHash(Buffer.from(after)));
  });

  it("may not exist: then a code says so, as for a computer that is gone", async () => {
    const bridge = await startWireBridge();
    const world = await startWorld();
    const computer = await linkGameComputer(bridge, world, { files: { "/a/b.lua": "b" } });
    const page = await new WirePage(bridge).hello();
    const key = keyOf(bridge);
    for (const path of ["/none.lua", "/none/deep.lua"]) {
      const absent = { path, size: 0, hash: "absent", content: "", problem: null };
      expect(await page.act("read-file", { key, path })).toEqual(absent);
    }
    await expect(page.act("read-file", { key, path: "/a" })).rejects.toThrow("/a");
    computer.unload();
    await vi.waitFor(() => expect(bridge.computers.list()).toEqual([]));
    page.send({ type: "action", action: 99, name: "read-file", params: { key, path: "/a/b.lua" } });
    const declined = await page.until(() =>
      page.received.find((message) => message.type === "declined" && message.action === 99),
    );
    expect(declined).toMatchObject({ code: LinkErrorCode.notLinked });
  });

  it("is one call in the audit, however many pages it has", async () => {
    const { bridge, ended } = await startAudited({ audit: "all" });
    const world = await startWorld();
    await linkGameComputer(bridge, world, { files: { "/big.txt": "a".repeat(200_000) } });
    const page = await new WirePage(bridge).hello();
    await page.act("read-file", { key: keyOf(bridge), path: "/big.txt" });
    expect(ended("read-file")).toMatchObject([
      { client: "anyone", software: "dashboard", outcome: "ok" },
    ]);
  });
});

describe("what a page does counts", () => {
  it("towards the rate and the quota of its token", async () => {
    const bridge = await startWireBridge(
      tokenFile("slow-token name=slow rate=2/h", "few-token name=few quota=2/day"),
    );
    const world = await startWorld();
    await linkGameComputer(bridge, world);
    const key = keyOf(bridge);
    for (const token of ["slow-token", "few-token"]) {
      const page = await new WirePage(bridge).hello(token);
      await page.act("list-files", { key, path: "/" });
      await page.act("peripherals", { key });
      await expect(page.act("list-files", { key, path: "/" }), token).rejects.toThrow(/used up/);
      const failed = await page.watch("screen", { key }).failed();
      expect(failed.error).toMatch(/used up/);
      expect(failed.retryMs).toBeGreaterThan(0);
    }
  });

  it("towards the rate of the computer, looking included", async () => {
    const bridge = await startWireBridge({ computerRate: "2/h" });
    const world = await startWorld();
    await linkGameComputer(bridge, world);
    const key = keyOf(bridge);
    const page = await new WirePage(bridge).hello();
    await page.watch("screen", { key }).first();
    await page.act("list-files", { key, path: "/" });
    await expect(page.act("list-files", { key, path: "/" })).rejects.toThrow(/used up/);
    const client = await connectClient(bridge.mcpUrl);
    const { text } = await callTool(client, "list-files", { computerId: 12 });
    expect(text).toContain("used up");
  });
});

describe("the audit", () => {
  it("has what pages view with CC_AUDIT=all, each thing once a minute", async () => {
    const { bridge, ended } = await startAudited({
      audit: "all",
      ...tokenFile("owner-token name=owner"),
    });
    const world = await startWorld();
    await linkGameComputer(bridge, world, { kind: "turtle" });
    const key = keyOf(bridge);
    const page = await new WirePage(bridge).hello("owner-token");
    const { job } = await page.act("run-program", { key, command: "shell" });
    const screen = page.watch("screen", { key, job });
    await screen.first(({ screen: seen }) => seen !== null);
    await page.act("input", { key, job, steps: [{ text: "id\n" }] });
    await screen.first(({ screen: seen }) => !!seen?.text.includes("computer #12"));
    await page.watch("turtle", { key }).first(({ selected }) => selected === 1);
    await page.watch("jobs", { key }).first();
    await page.watch("output", { job }).first();
    await page.watch("events", { key }).first();
    await page.watch("fleet", {}).first();
    for (const tool of [
      "read-screen",
      "turtle-status",
      "list-jobs",
      "get-job",
      "get-events",
      "list-computers",
    ]) {
      expect(ended(tool), tool).toMatchObject([
        { client: "owner", software: "dashboard", outcome: "ok" },
      ]);
    }
  });

  it("names who ended a session, decided, paired and granted", async () => {
    const { bridge, ended } = await startAudited(tokenFile("owner-token name=owner"));
    await connectClient(bridge.mcpUrl, { Authorization: "Bearer owner-token" });
    const page = await new WirePage(bridge).hello("owner-token");
    const { sessions } = await page.watch("clients", {}).first((data) => data.sessions.length > 0);
    await page.act("end-session", { id: sessions[0]?.id ?? "" });
    expect(ended("end-session")).toMatchObject([{ client: "owner", outcome: "ok" }]);
    for (const [name, params] of [
      ["decide", { id: "none", decision: "no" }],
      ["pair", { code: "none", accept: true }],
      ["grant", { id: "none", capabilities: ["dom:write"], accept: true }],
    ] as const) {
      await expect(page.act(name, params as never)).rejects.toThrow();
      expect(ended(name), name).toMatchObject([{ client: "owner", outcome: "error" }]);
    }
    const { calls } = await page.watch("activity", {}).first();
    expect(calls.map(({ tool }) => tool)).toEqual(
      expect.arrayContaining(["end-session", "decide", "pair", "grant"]),
    );
  });
});

it("the last calls keep only the last of a page's repeated polls", () => {
  const trail = new Trail(4);
  const audit = new Audit({ log: silentLogger() });
  const add = (tool: string, polls?: string, outcome: "ok" | "refused" = "ok") => {
    const facts = { client: "a", software: "dashboard", session: "s", acts: false, args: {} };
    const record = audit.begin({ ...facts, tool, polls });
    trail.add(record);
    audit.end(record, outcome, undefined);
  };
  const kept = () => trail.recent().map(({ id, tool }) => `${id} ${tool}`);
  add("exec-lua");
  add("read-screen", "12");
  add("read-screen", "13");
  add("read-screen", "12");
  expect(kept()).toEqual(["1 exec-lua", "3 read-screen", "4 read-screen"]);
  for (let minute = 0; minute < 10; minute++) add("read-screen", "13");
  expect(kept()).toEqual(["1 exec-lua", "4 read-screen", "14 read-screen"]);
  add("read-screen", "13", "refused");
  add("read-screen", "13");
  expect(kept()).toEqual(["1 exec-lua", "4 read-screen", "15 read-screen", "16 read-screen"]);
  for (let call = 0; call < 10; call++) add("exec-lua");
  expect(kept()).toEqual(["23 exec-lua", "24 exec-lua", "25 exec-lua", "26 exec-lua"]);
});

describe("what a page shows of servers and computers", () => {
  it("is what the tools of its token would show", async () => {
    const bridge = await startWireBridge({
      ...tokenFile(
        "all-token",
        "files-token tools=files",
        "events-token tools=events",
        "server-token tools=minecraft",
      ),
      minecraftTokens: ["server-secret"],
    });
    await linkComputer(bridge.linkUrl, { computerId: 1, label: "base" });
    await FakeMod.dial({ url: `${bridge.linkUrl}/minecraft`, token: "server-secret", hello: {} });
    await expect.poll(() => bridge.registry.size, patience).toBe(2);
    const rowsOf = async (token: string) => {
      const page = await new WirePage(bridge).hello(token);
      return (await page.watch("fleet", {}).first(({ full }) => full)).rows;
    };
    const rows = await rowsOf("all-token");
    expect(rows.map(({ kind }) => kind)).toEqual(["computer", "server"]);
    expect(await rowsOf("server-token")).toMatchObject([{ kind: "server" }]);
    const files = await new WirePage(bridge).hello("files-token");
    const { error, retryMs } = await files.watch("fleet", {}).failed();
    expect(error).toContain("does not allow list-computers");
    expect(retryMs).toBeUndefined();

    const [computer = "", server = ""] = rows.map(({ key }) => key);
    const ofServers = await new WirePage(bridge).hello("server-token");
    const ofComputers = await new WirePage(bridge).hello("events-token");
    await ofServers.watch("events", { key: server }).first();
    await ofComputers.watch("events", { key: computer }).first();
    const refused = (page: WirePage, key: string) => page.watch("events", { key }).failed();
    expect((await refused(ofServers, computer)).error).toContain("get-events");
    expect((await refused(ofComputers, server)).error).toContain("get-server-events");
  });
});

describe("events that a page watches", () => {
  it("are no longer sent when the page is gone", async () => {
    const bridge = await startWireBridge();
    const world = await startWorld();
    await linkGameComputer(bridge, world);
    const key = keyOf(bridge);
    const watched = () => bridge.registry.events.get(key)?.watches.all.map(({ name }) => name);
    const page = await new WirePage(bridge).hello();
    const other = await new WirePage(bridge).hello();
    await page.act("watch-events", { key, name: "redstone", on: true });
    await page.act("watch-events", { key, name: "lamp", on: true });
    await other.act("watch-events", { key, name: "lamp", on: true });
    expect(watched()).toEqual(["redstone", "lamp"]);
    page.socket.close();
    await page.closed;
    await expect.poll(watched, patience).toEqual(["lamp"]);
  });
});

describe("a page in ask mode", () => {
  it("acts after an owner at another page approved", async () => {
    const bridge = await startWireBridge(
      tokenFile("owner-token name=owner", "asking-token name=helper mode=ask"),
    );
    const world = await startWorld();
    const computer = await linkGameComputer(bridge, world);
    const key = keyOf(bridge);
    const page = await new WirePage(bridge).hello("asking-token");
    expect(page.received[0]).toMatchObject({ viewer: { mayAct: true, mayDecide: false } });
    const write = (content: string) =>
      page.act("write-file", { key, path: "/new.lua", content, expectedHash: "absent" });
    await expect(write("return 0")).rejects.toThrow(/approval of a person/);
    const owner = await new WirePage(bridge).hello("owner-token");
    const waiting = owner.watch("waiting", {});
    await waiting.first();
    const writing = write("return 1");
    const { approvals } = await waiting.first((data) => data.approvals.length > 0);
    expect(approvals).toMatchObject([
      { client: "helper", tool: "write-file", targets: [expect.stringContaining("12")] },
    ]);
    expect(approvals[0]?.subject).toContain("return 1");
    expect(computer.fs.exists("/new.lua")).toBe(false);
    await owner.act("decide", { id: approvals[0]?.id ?? "", decision: "call" });
    await writing;
    expect(computer.fs.read("/new.lua")).toBe("return 1");
  });

  it("is no longer waited for when it is closed", async () => {
    const bridge = await startWireBridge(
      tokenFile("owner-token name=owner", "asking-token name=helper mode=ask"),
    );
    const world = await startWorld();
    await linkGameComputer(bridge, world);
    const owner = await new WirePage(bridge).hello("owner-token");
    const waiting = owner.watch("waiting", {});
    await waiting.first();
    const page = await new WirePage(bridge).hello("asking-token");
    page.act("run-program", { key: keyOf(bridge), command: "reboot" }).catch(() => {});
    await waiting.first((data) => data.approvals.length > 0);
    page.socket.close();
    await expect.poll(() => bridge.approvals.list(), patience).toEqual([]);
  });
});

describe("the key of a computer", () => {
  it("means that one, however many have its number", async () => {
    const bridge = await startWireBridge();
    const { socket: _, ...first } = await linkComputer(bridge.linkUrl, {
      computerId: 5,
      label: "one",
      world: "survival",
      instance: "a",
    });
    const second = await linkComputer(bridge.linkUrl, {
      computerId: 5,
      label: "two",
      world: "survival",
      instance: "survival",
    });
    const page = await new WirePage(bridge).hello();
    const { rows } = await page.watch("fleet", {}).first(({ full }) => full);
    const sent = ({ fake }: Pick<typeof second, "fake">) =>
      fake.received.filter((frame) => frame.type === "request");
    for (const [label, linked, other] of [
      ["one", first, second],
      ["two", second, first],
    ] as const) {
      const { key = "" } = rows.find((row) => row.label === label) ?? {};
      const before = [sent(linked).length, sent(other).length];
      await page.act("run-program", { key, command: "id" }).catch(() => {});
      await page.act("peripherals", { key }).catch((error: Error) => {
        expect(error.message).toContain(`(Label: ${label})`);
      });
      expect(sent(other).length).toBe(before[1]);
    }
  });

  it("reaches nothing that the token does not see", async () => {
    const bridge = await startWireBridge(
      tokenFile("farm-token name=farmer computers=label:farm-*"),
    );
    const world = await startWorld();
    const computer = await linkGameComputer(bridge, world, { files: { "/a.lua": "return 1" } });
    const key = keyOf(bridge);
    const job = bridge.registry.jobs.start(bridge.computers.find(12), {
      method: "run-program",
      params: { command: "shell" },
      summary: "shell",
    });
    const page = await new WirePage(bridge).hello("farm-token");
    const steps = [{ text: "reboot\n" }];
    const acts = [
      () => page.act("list-files", { key, path: "/" }),
      () => page.act("read-file", { key, path: "/a.lua" }),
      () => page.act("write-file", { key, path: "/a.lua", content: "", expectedHash: "absent" }),
      () => page.act("delete-file", { key, path: "/a.lua", expectedHash: "x" }),
      () => page.act("peripherals", { key }),
      () => page.act("inventories", { key }),
      () => page.act("run-program", { key, command: "reboot" }),
      () => page.act("input", { key, job: job.id, steps }),
      () => page.act("input", { key, steps }),
      () => page.act("watch-events", { key, name: "*", on: true }),
      () => page.act("stop-job", { job: job.id }),
    ];
    for (const act of acts) await expect(act()).rejects.toThrow(new RegExp(texts.isNotLinkedThere));
    expect((await page.watch("screen", { key }).failed()).error).toMatch(/not linked|no longer/);
    expect((await page.watch("output", { job: job.id }).failed()).error).toMatch(
      /not known|no job/,
    );
    expect((await page.watch("jobs", { key }).first()).jobs).toEqual([]);
    expect(computer.fs.read("/a.lua")).toBe("return 1");
    expect(job.ended).toBe(false);
  });
});
