import { networkInterfaces } from "node:os";
import {
  type ActionName,
  type ActionParams,
  actions,
  CloseReason,
} from "@ccbridge/protocol/dashboard";
import { describe, expect, it, vi } from "vitest";
import { TurtleTracks } from "../../src/monitor/tracks.js";
import { isLinked, linkGameComputer, placeComputer, startWorld } from "../computer/helpers.js";
import type { TestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { startWireBridge, tokenFile, WirePage } from "./helpers.js";

/** For a busy machine: this usually takes a moment. */
const patience = { timeout: 60_000 };
vi.setConfig({ testTimeout: 60_000 });

const turn = () => new Promise((resolve) => setImmediate(resolve));

function keyOf(bridge: TestBridge): string {
  const [session] = bridge.registry.sessions();
  return session?.provider.key ?? expect.unreachable();
}

describe("twenty viewers", () => {
  it("of one screen cost the game no more than one viewer", async () => {
    const bridge = await startWireBridge();
    const world = await startWorld();
    const computer = await placeComputer(world, { advanced: true });
    computer.type(`mcp-computer ${bridge.linkUrl} share\n`);
    await computer.until(() => isLinked(bridge, 12));
    const frames: { type: string; screen?: object; rows?: object[] }[] = [];
    const link = bridge.computers.find(12);
    const receive = link.receive.bind(link);
    link.receive = (text) => {
      const frame = JSON.parse(text);
      if (frame.type === "screen") frames.push(frame);
      receive(text);
    };
    const key = keyOf(bridge);
    const pages = await Promise.all(Array.from({ length: 20 }, () => new WirePage(bridge).hello()));
    const views = pages.map((page) => page.watch("screen", { key }));
    const drawn = (text: string) =>
      Promise.all(views.map((view) => view.first(({ screen }) => !!screen?.text.includes(text))));
    await Promise.all(views.map((view) => view.first()));
    expect(frames.filter(({ screen }) => screen !== undefined)).toHaveLength(1);
    computer.type("id\n");
    await drawn("This is computer #12");
    // With any number of viewers, no change is sent twice, and never the whole screen again.
    const changes = frames.slice(1).map((frame) => JSON.stringify(frame));
    expect(new Set(changes).size).toBe(changes.length);
    expect(frames.filter(({ screen }) => screen !== undefined)).toHaveLength(1);

    for (const { socket } of pages.slice(1)) socket.close();
    await Promise.all(pages.slice(1).map(({ closed }) => closed));
    computer.type("label get\n");
    await views[0]?.first(({ screen }) => !!screen?.text.includes("base-turtle"));
    pages[0]?.socket.close();
    await pages[0]?.closed;
    const client = await connectClient(bridge.mcpUrl);
    await expect
      .poll(async () => {
        const before = frames.length;
        computer.type("about\n");
        await computer.until(() => computer.screen.text().includes("CraftOS"));
        await callTool(client, "probe-computers");
        return frames.length - before;
      }, patience)
      .toBe(0);
  });

  it("of one turtle ask it as often as one would", async () => {
    const bridge = await startWireBridge();
    const world = await startWorld();
    await linkGameComputer(bridge, world, { kind: "turtle" });
    const key = keyOf(bridge);
    const link = bridge.computers.find(12);
    let answers = 0;
    const receive = link.receive.bind(link);
    link.receive = (text) => {
      if (text.includes('"fuel"')) answers += 1;
      receive(text);
    };
    const pages = await Promise.all(Array.from({ length: 20 }, () => new WirePage(bridge).hello()));
    const began = performance.now();
    await Promise.all(
      pages.flatMap((page) => [
        page.watch("turtle", { key }).first(),
        page.watch("turtles", { keys: [key] }).first(),
      ]),
    );
    // One every two seconds, however long the answers took.
    expect(answers).toBeLessThanOrEqual(1 + (performance.now() - began) / 2_000);
  });
});

describe("the trail of a turtle", () => {
  it("is kept without viewers, for clients that may see the turtle", async () => {
    const bridge = await startWireBridge(
      tokenFile("owner-token name=owner", "farm-token name=farmer computers=label:farm-*"),
    );
    const world = await startWorld();
    await linkGameComputer(bridge, world, {
      label: "miner",
      kind: "turtle",
      turtle: { fuel: 100 },
    });
    const client = await connectClient(bridge.mcpUrl, { Authorization: "Bearer owner-token" });
    const call = (name: string, args: object) =>
      callTool(client, name, { computerId: 12, ...args });
    await call("set-position", { x: 10, y: 64, z: -3, facing: "north" });
    await call("turtle-run", { steps: ["forward 2", "turnRight"] });
    await call("turtle-run", { steps: ["up", "forward", "dig"] });
    // Lua may return any position: it is not the turtle's.
    await call("exec-lua", { code: "return { position = { x = 1, y = 2, z = 3 } }" });
    const key = keyOf(bridge);
    const owner = await new WirePage(bridge).hello("owner-token");
    const { trail } = await owner.watch("turtle", { key }).first();
    expect(trail).toEqual([
      { x: 10, y: 64, z: -3 },
      { x: 10, y: 64, z: -5 },
      { x: 11, y: 65, z: -5 },
    ]);
    const farmer = await new WirePage(bridge).hello("farm-token");
    expect((await farmer.watch("turtle", { key }).first()).trail).toEqual([]);
  });

  it("is bounded, in places and in turtles", () => {
    const tracks = new TurtleTracks();
    for (let turtle = 0; turtle < 300; turtle++) {
      for (let x = 0; x < 600; x++) tracks.note(`t${turtle}`, { x, y: 0, z: 0 });
    }
    expect(tracks.of("t0")).toEqual([]);
    expect(tracks.of("t299")).toHaveLength(512);
    expect(tracks.of("t299").at(-1)).toEqual({ x: 599, y: 0, z: 0 });
  });
});

describe("a viewer that does not read", () => {
  const PIECES = 400;
  const PIECE = "x".repeat(99_990);

  it("skips what came meanwhile, gets the newest, and costs the bridge no memory", async () => {
    const bridge = await startWireBridge();
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const { fake } = await linkComputer(bridge.linkUrl, {
      computerId: 1,
      label: "base",
      programs: {
        flood: async ({ write }) => {
          write("begin\n");
          await begun;
          for (let piece = 0; piece < PIECES; piece++) {
            write(`${PIECE}\n`);
            await turn();
          }
          write("the end\n");
          return new Promise(() => {});
        },
      },
    });
    expect(fake).toBeDefined();
    const client = await connectClient(bridge.mcpUrl);
    const started = await callTool(client, "exec-lua", { computerId: 1, code: "flood", waitMs: 0 });
    const { jobId } = started.structuredContent as { jobId: string };
    const page = await new WirePage(bridge).hello();
    const output = page.watch("output", { job: jobId });
    await output.first(({ text }) => text.includes("begin"));
    page.socket.pause();
    begin();
    const total = PIECES * (PIECE.length + 1) + "begin\nthe end\n".length;
    await expect.poll(() => bridge.registry.jobs.get(jobId)?.output.end, patience).toBe(total);
    page.socket.resume();
    await output.first(({ text }) => text.includes("the end"));
    const all = output.all();
    const received = all.reduce((sum, { text }) => sum + text.length, 0);
    const skipped = all.reduce((sum, data) => sum + data.skipped, 0);
    expect(skipped).toBeGreaterThan(0);
    expect(received + skipped).toBe(total);
    expect(received).toBeLessThan((PIECES * PIECE.length) / 2);
  });

  it("does not keep the bridge from stopping while its job goes on", async () => {
    const bridge = await startWireBridge();
    await linkGameComputer(bridge, await startWorld());
    const client = await connectClient(bridge.mcpUrl);
    const code = "while true do sleep(1) end";
    const started = await callTool(client, "exec-lua", { computerId: 12, code, waitMs: 0 });
    const { jobId } = started.structuredContent as { jobId: string };
    const page = await new WirePage(bridge).hello();
    await page.watch("output", { job: jobId }).first();
    await bridge.close();
    await page.closed;
  });

  it("is cut off when it asks anyway", async () => {
    const bridge = await startWireBridge();
    const page = await new WirePage(bridge).hello();
    const { clients } = await page.act("connect", {});
    const answer = JSON.stringify(clients).length;
    const questions = Math.ceil(30_000_000 / answer);
    page.socket.pause();
    for (let action = 100; action < 100 + questions; action++) {
      page.send({ type: "action", action, name: "connect", params: {} });
      // Only a few may be open at once.
      if (action % 8 === 0) await turn();
    }
    page.socket.resume();
    await page.closed;
    expect(page.received.length).toBeLessThan(questions);
    await new WirePage(bridge).hello();
  });
});

describe("without a token", () => {
  const lan = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

  it.skipIf(lan === undefined)("only the bridge's own machine may connect", async () => {
    const settings = { mcpHost: "0.0.0.0", mcpAllowedHosts: [lan ?? ""] };
    const bridge = await startWireBridge(settings);
    const open = (host: string) => new WirePage(bridge, {}, `${host}:${bridge.mcpPort}`);
    const far = open(lan ?? "");
    far.socket.once("open", () => far.send({ type: "hello" }));
    expect(await far.closed).toMatchObject({
      code: CloseReason.loopback,
      reason: expect.stringContaining("MCP_TOKENS"),
    });
    expect(far.received).toEqual([]);
    await open("127.0.0.1").hello();
    const guarded = await startWireBridge({ ...settings, mcpTokens: ["a-token"] });
    await new WirePage(guarded, {}, `${lan}:${guarded.mcpPort}`).hello("a-token");
  });
});

describe("a read-only token", () => {
  it("reads everything and changes nothing, whatever its page sends", async () => {
    const bridge = await startWireBridge(
      tokenFile("owner-token name=owner", "look-token name=guest mode=look"),
    );
    const world = await startWorld();
    const computer = await linkGameComputer(bridge, world, { files: { "/a.lua": "print(1)" } });
    const key = keyOf(bridge);
    const owner = await new WirePage(bridge).hello("owner-token");
    const { job } = await owner.act("run-program", { key, command: "shell" });
    const { hash } = await owner.act("read-file", { key, path: "/a.lua" });
    const page = await new WirePage(bridge).hello("look-token");
    const questions: { readonly [A in ActionName]: ActionParams<A> } = {
      connect: {},
      "find-calls": {},
      "find-changes": { traces: ["x"] },
      "undo-changes": { changes: ["x"], sure: true, force: true },
      "forget-history": { client: "owner" },
      "list-files": { key, path: "/" },
      "read-file": { key, path: "/a.lua" },
      peripherals: { key },
      inventories: { key },
      "write-file": { key, path: "/a.lua", content: "", expectedHash: hash },
      "delete-file": { key, path: "/a.lua", expectedHash: hash },
      input: { key, job, steps: [{ text: "exit\n" }] },
      "run-program": { key, command: "reboot" },
      "update-agent": { key },
      "send-message": { key, message: "hi" },
      "stop-job": { job },
      "watch-events": { key, name: "*", on: true },
      decide: { id: "x", decision: "call" },
      pair: { code: "x", accept: true },
      grant: { id: "x", capabilities: ["dom:write"], accept: true },
      "end-session": { id: "x" },
      "create-token": { name: "x", mode: "all" },
      "revoke-token": { name: "owner" },
      "remove-alert": { id: "x" },
      "revoke-permission": { id: "x" },
      "change-setting": { name: "CC_READ_ONLY", value: "off" },
      "revoke-approval": { key },
    };
    const answered: string[] = [];
    for (const name of Object.keys(actions) as ActionName[]) {
      const answer = page.act(name, questions[name] as never);
      await answer.then(
        () => answered.push(name),
        (error: Error) =>
          expect(error.message, name).toMatch(/is read-only|for the bridge's owner/),
      );
    }
    expect(answered.sort()).toEqual([
      "connect",
      "find-calls",
      "find-changes",
      "inventories",
      "list-files",
      "peripherals",
      "read-file",
    ]);
    expect(computer.fs.read("/a.lua")).toBe("print(1)");
    expect(bridge.registry.jobs.list().filter(({ ended }) => !ended)).toHaveLength(1);
    const { calls } = await page.watch("activity", {}).first();
    expect(calls.map(({ client }) => client)).not.toContain("owner");
    await page.watch("screen", { key, job }).first(({ screen }) => screen !== null);
  });
});

describe("events", () => {
  it("come while they are asked for", async () => {
    const bridge = await startWireBridge();
    const world = await startWorld();
    const computer = await linkGameComputer(bridge, world);
    const key = keyOf(bridge);
    const page = await new WirePage(bridge).hello();
    const events = page.watch("events", { key });
    expect((await events.first()).watches).toEqual([]);
    await page.act("watch-events", { key, name: "door_*", on: true });
    computer.queueEvent("door_bell", "<b>front</b>", 3);
    const came = await events.first((data) => data.events.length > 0);
    expect(came.events).toMatchObject([{ name: "door_bell", args: ["<b>front</b>", 3] }]);
    expect(came.watches).toEqual(["door_*"]);
    await page.act("watch-events", { key, name: "door_*", on: false });
    computer.queueEvent("door_bell", "not sent");
    await page.act("watch-events", { key, name: "lamp", on: true });
    computer.queueEvent("lamp");
    const later = await events.first((data) => data.events.some(({ name }) => name === "lamp"));
    expect(later.watches).toEqual(["lamp"]);
    const names = events.all().flatMap((data) => data.events.map(({ name }) => name));
    expect(names).toEqual(["door_bell", "lamp"]);
  });
});
