import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { freePort } from "../helpers/ports.js";
import { startRelay } from "../helpers/relay.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { isLinked, linkGameComputer, placeComputer, screenText, startWorld } from "./helpers.js";

function cutLink(bridge: TestBridge, computerId: number): void {
  bridge.computers.find(computerId).close("disconnected", "cut by the test");
}

async function game(
  settings: Parameters<typeof startTestBridge>[0] = {},
  time: "driven" | "real" = "driven",
) {
  const bridge = await startTestBridge(settings);
  const world = await startWorld({ time });
  const computer = await linkGameComputer(bridge, world);
  const client = await connectClient(bridge.mcpUrl);
  const start = async (code: string, more: object = {}) => {
    const result = await callTool(client, "exec-lua", { computerId: 12, code, waitMs: 0, ...more });
    const { jobId } = result.structuredContent as { jobId: string };
    const job = bridge.registry.jobs.get(jobId);
    if (job === undefined) throw new Error(result.text);
    return job;
  };
  return { bridge, world, computer, client, start };
}

describe("jobs in the game", () => {
  it("follows ten minutes of work through three reconnects, without a gap, to its one result", async () => {
    const { bridge, world, client, start } = await game();
    const job = await start('for i = 1, 600 do print("step " .. i) sleep(1) end return "all done"');
    for (let cut = 1; cut <= 3; cut++) {
      await world.advance(120_000);
      cutLink(bridge, 12);
      expect(job.status.linked).toBe(false);
      await world.advanceUntil(() => job.status.linked, 120_000);
    }
    await world.advanceUntil(() => job.ended, 400_000);
    expect(job.state).toBe("done");
    const steps = Array.from({ length: 600 }, (_, i) => `step ${i + 1}\n`).join("");
    expect(job.output.toString()).toBe(steps);
    const { text } = await callTool(client, "get-job", { jobId: job.id, cursor: steps.length });
    expect(text).toMatch(
      /^Ran on 12 \(Label: base-turtle\)\.\nReturned: "all done"\nIt ran [^\n]+\.$/,
    );
  });

  it.each([
    ["output", 'for i = 1, 60 do print("step " .. i) sleep(1) end return "done"', 30_000],
    ["the answer", 'for i = 1, 60 do print("step " .. i) sleep(0.5) end return "done"', 32_000],
  ])("delivers %s that was lost on the way", async (_, code, swallowedMs) => {
    const bridge = await startTestBridge();
    const relay = await startRelay(bridge.linkPort);
    const world = await startWorld({ time: "driven" });
    const computer = await placeComputer(world);
    computer.type(`mcp-computer ws://127.0.0.1:${relay.port}\n`);
    await world.advanceUntil(() => isLinked(bridge, 12));
    const [link] = bridge.computers.list();
    if (link === undefined) throw new Error("not linked");
    const job = bridge.registry.jobs.start(link, {
      method: "exec-lua",
      params: { code },
      summary: "",
    });
    await world.advance(5_000);
    relay.swallow();
    await world.advance(swallowedMs);
    expect(job.status.linked).toBe(true);
    const before = job.output.end;
    relay.cut();
    await world.advanceUntil(() => job.ended, 120_000);
    expect(job.state).toBe("done");
    expect(job.output.end).toBeGreaterThan(before);
    expect(job.output.toString()).toBe(
      Array.from({ length: 60 }, (_, i) => `step ${i + 1}\n`).join(""),
    );
    relay.cut();
    await world.advanceUntil(() => bridge.registry.size === 0);
    await world.advanceUntil(() => isLinked(bridge, 12), 60_000);
    expect(bridge.registry.jobs.list()).toEqual([job]);
  });

  it("says of a job that was lost on the way that it never began", async () => {
    const bridge = await startTestBridge();
    const relay = await startRelay(bridge.linkPort);
    const world = await startWorld({ time: "driven" });
    const computer = await placeComputer(world);
    computer.type(`mcp-computer ws://127.0.0.1:${relay.port}\n`);
    await world.advanceUntil(() => isLinked(bridge, 12));
    const client = await connectClient(bridge.mcpUrl);
    relay.swallow();
    const code = "_G.began = true";
    const { structuredContent } = await callTool(client, "exec-lua", {
      ...{ computerId: 12, code, waitMs: 0 },
    });
    const { jobId } = structuredContent as { jobId: string };
    relay.cut();
    await world.advanceUntil(() => bridge.registry.jobs.get(jobId)?.ended === true, 60_000);
    const { text, isError } = await callTool(client, "get-job", { jobId });
    expect(isError).toBe(true);
    expect(text).toContain(`The job never began. ${texts.itNeverArrivedThereSo}`);
    const asked = await callTool(client, "exec-lua", { computerId: 12, code: "return began" });
    expect(asked.text).toContain("nil");
  });

  it("cancels a loop that never yields, and the computer stays alive", async () => {
    const { world, computer, client, start } = await game({ cancelGraceMs: 20_000 });
    const job = await start("while true do end");
    await world.advance(3_000);
    const cancelling = callTool(client, "cancel-job", { jobId: job.id });
    await world.advanceUntil(() => job.ended);
    expect((await cancelling).text).toMatch(/^Cancelled on /);
    expect(computer.isOn).toBe(true);
    expect((await callTool(client, "exec-lua", { computerId: 12, code: "1 + 1" })).text).toContain(
      "2",
    );
  });

  it("ends a job that swallows being terminated", async () => {
    const { world, computer, client, start } = await game({ cancelGraceMs: 20_000 });
    const job = await start('while true do pcall(sleep, 5) print("still here") end');
    await world.advance(6_000);
    const cancelling = callTool(client, "cancel-job", { jobId: job.id });
    await world.advanceUntil(() => job.ended);
    await cancelling;
    expect(job.state).toBe("cancelled");
    const length = job.output.end;
    await world.advance(20_000);
    expect(job.output.end).toBe(length);
    expect(computer.isOn).toBe(true);
  });

  it("stops a job at its age", async () => {
    // The bridge uses real time, so the game must too.
    const { computer, start } = await game({ cancelGraceMs: 20_000 }, "real");
    const job = await start('print("begun") sleep(1000)', { timeoutMs: 200 });
    await computer.until(() => job.ended);
    expect(job.state).toBe("timed-out");
    expect(job.output.toString()).toBe("begun\n");
  });

  it("reports a job as lost when its computer reboots", async () => {
    const { bridge, world, computer, client, start } = await game();
    const job = await start("sleep(1000)");
    computer.reboot();
    await world.advanceUntil(() => /> *$/.test(screenText(computer)));
    computer.type(`mcp-computer ${bridge.linkUrl}\n`);
    await world.advanceUntil(() => isLinked(bridge, 12));
    expect(job.state).toBe("lost");
    const { text } = await callTool(client, "get-job", { jobId: job.id });
    expect(text).toContain(texts.theOtherSideCameBack);
  });

  it("bounds five megabytes of output on both sides and keeps their end", async () => {
    const { world, computer, start } = await game();
    const code =
      'local line = ("z"):rep(999) for i = 1, 5000 do print(line) if i % 50 == 0 then sleep(0) end end print("END")';
    const job = await start(code);
    await world.advanceUntil(() => job.ended, 600_000);
    expect(job.state).toBe("done");
    expect(job.output.end - job.output.dropped).toBeLessThanOrEqual(1_048_576);
    expect(job.output.toString().endsWith("END\n")).toBe(true);
    expect(computer.isOn).toBe(true);
  });

  it("settles a cancel that races with the result, one way or the other", async () => {
    const { world, client, start } = await game({ cancelGraceMs: 20_000 });
    for (let delay = 0; delay < 4; delay++) {
      const job = await start("sleep(0.1) return 1");
      await world.advance(delay * 50);
      const cancelling = callTool(client, "cancel-job", { jobId: job.id });
      await world.advanceUntil(() => job.ended);
      await cancelling;
      expect(["done", "cancelled"]).toContain(job.state);
    }
  });

  it("lets two clients follow one job", async () => {
    const { bridge, world, client, start } = await game();
    const other = await connectClient(bridge.mcpUrl);
    const job = await start('sleep(1) print("for both") sleep(1)');
    const follow = [client, other].map((each) =>
      callTool(each, "get-job", { jobId: job.id, waitMs: 50_000, untilOutput: true }),
    );
    await world.advanceUntil(() => job.output.end > 0);
    for (const result of await Promise.all(follow)) expect(result.text).toContain("for both");
  });

  it("adopts the jobs of a computer when the bridge restarts", async () => {
    const { bridge, world, start } = await game({ linkPort: await freePort() });
    const job = await start('for i = 1, 60 do print(i) sleep(1) end return "survived"');
    await world.advance(5_000);
    await bridge.close();
    const next = await startTestBridge({ linkPort: bridge.linkPort });
    await world.advanceUntil(() => isLinked(next, 12), 120_000);
    const adopted = next.registry.jobs.get(job.id);
    expect(adopted).toMatchObject({ adopted: true, state: "running" });
    await world.advanceUntil(() => adopted?.ended === true, 120_000);
    expect(adopted?.state).toBe("done");
    expect(adopted?.output.toString().endsWith("59\n60\n")).toBe(true);
    expect(adopted?.response?.result).toMatchObject({ returns: [{ value: "survived" }] });
  });

  it.each([
    ["while no bridge is there", 400_000],
    ["on the next bridge", 60_000],
  ])("keep their timeoutMs when the bridge restarts: the time is up %s", async (_, awayMs) => {
    const { bridge, world, start } = await game();
    const job = await start('print("begun") while true do sleep(1) end', { timeoutMs: 300_000 });
    await world.advance(30_000);
    await bridge.close();
    await world.advance(awayMs);
    const next = await startTestBridge({ linkPort: bridge.linkPort });
    await world.advanceUntil(() => isLinked(next, 12), 120_000);
    const began = world.ticks;
    await world.advanceUntil(() => next.registry.jobs.get(job.id)?.ended === true, 300_000);
    const secondsMore = (world.ticks - began) / 20;
    if (awayMs === 60_000) expect(secondsMore).toBeGreaterThan(150);
    const client = await connectClient(next.mcpUrl);
    const { text } = await callTool(client, "get-job", { jobId: job.id });
    expect(text).toContain(texts.failedOnLabelBaseTurtle);
    expect(text).toContain("begun");
    expect(text).toContain(texts.itWasCancelledIn);
  });

  it("give a job its whole timeoutMs of real time, however fast the ticks are", async () => {
    const { computer, start } = await game({}, "real");
    const job = await start('sleep(10) return "in time"', { timeoutMs: 8_000 });
    await computer.until(() => job.ended);
    expect(job.state).toBe("done");
  });

  it("shows where a program is wrong: the line of a syntax error, the traceback of a runtime error", async () => {
    const { client } = await game();
    const run = async (code: string) =>
      (await callTool(client, "exec-lua", { computerId: 12, code })).text;
    expect(await run("local a = 1\nlocal = 2")).toMatch(/:2:/);
    const trace = await run(
      "local function inner() error('deep') end\nlocal function outer() inner() end\nouter()",
    );
    expect(trace).toContain("deep");
    expect(trace).toContain("stack traceback");
  });
});
