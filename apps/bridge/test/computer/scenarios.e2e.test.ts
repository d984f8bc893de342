import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge } from "../helpers/bridge.js";
import { freePort } from "../helpers/ports.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { isLinked, linkGameComputer, placeComputer, screenText, startWorld } from "./helpers.js";

async function withAutostart(settings: Parameters<typeof startTestBridge>[0] = {}) {
  const bridge = await startTestBridge(settings);
  const world = await startWorld({ time: "driven" });
  const computer = world.computer({ id: 12, label: "base-turtle" });
  computer.turnOn();
  await world.advanceUntil(() => /> *$/.test(screenText(computer)));
  const token = settings.linkTokens?.[0];
  const query = token === undefined ? "" : `?token=${token}`;
  computer.type(`wget run http://127.0.0.1:${bridge.linkPort}/install.lua${query} --autostart\n`);
  await world.advanceUntil(() => isLinked(bridge, 12));
  return { bridge, world, computer };
}

describe("a computer that stays linked", () => {
  it("through a chunk that unloads in the middle of a job", async () => {
    const { bridge, world, computer } = await withAutostart();
    const client = await connectClient(bridge.mcpUrl);
    const args = { computerId: 12, code: 'print("begun") sleep(1000)', waitMs: 0 };
    const { structuredContent } = await callTool(client, "exec-lua", args);
    const { jobId } = structuredContent as { jobId: string };
    const job = bridge.registry.jobs.get(jobId);
    await world.advanceUntil(() => job?.output.end === 6);
    computer.unload();
    await vi.waitFor(() => expect(bridge.registry.size).toBe(0));
    expect(job?.state).toBe("running");
    computer.load();
    await world.advanceUntil(() => isLinked(bridge, 12));
    const { text } = await callTool(client, "get-job", { jobId });
    expect(text).toContain(texts.theJobIsLostThe);
    expect(text).toContain("begun");
  });

  it("through a restart of the Minecraft server and a restart of the bridge", async () => {
    const { bridge, world, computer } = await withAutostart({ linkPort: await freePort() });
    computer.unload();
    await bridge.close();
    computer.load();
    await world.advance(10_000);
    const next = await startTestBridge({ linkPort: bridge.linkPort });
    await world.advanceUntil(() => isLinked(next, 12), 120_000);
    const client = await connectClient(next.mcpUrl);
    expect((await callTool(client, "probe-computers")).text).toBe(
      "pong from 12 (Label: base-turtle)",
    );
  });

  it("until its token is changed; then it reports that and stops", async () => {
    const { bridge, world, computer } = await withAutostart({
      linkPort: await freePort(),
      linkTokens: ["old"],
    });
    await bridge.close();
    const next = await startTestBridge({ linkPort: bridge.linkPort, linkTokens: ["new"] });
    await world.advanceUntil(() => /token/i.test(screenText(computer)), 120_000);
    await world.advance(120_000);
    expect(next.computers.connections).toBe(0);
    expect(screenText(computer)).toMatch(/token/i);
  });

  it("through a burst of events that fills its queue", async () => {
    const { bridge, world, computer } = await withAutostart();
    await world.advanceUntil(() => screenText(computer).includes("linked as 12"));
    for (let i = 0; i < 400; i++) computer.queueEvent("turtle_inventory");
    expect(computer.stats.eventsDropped).toBeGreaterThan(0);
    await world.advance(1_000);
    const client = await connectClient(bridge.mcpUrl);
    const result = await callTool(client, "exec-lua", { computerId: 12, code: "1 + 1" });
    expect(result.text).toContain("Returned: 2");
  });

  it("through a burst of events that drops the bridge's greeting", async () => {
    const bridge = await startTestBridge();
    const world = await startWorld({ time: "driven" });
    const computer = await placeComputer(world);
    const stop = bridge.registry.changes.subscribe(({ topic }) => {
      if (topic === "linked") keepFull();
    });
    let own = 0;
    const keepFull = () => {
      stop();
      while (computer.queueEvent("turtle_inventory"));
      own += 1;
      if (computer.stats.eventsDropped === own) setImmediate(keepFull);
    };
    computer.type(`mcp-computer ${bridge.linkUrl}\n`);
    await world.advanceUntil(() => computer.stats.eventsDropped > own);
    expect(screenText(computer)).not.toContain("linked as");
    const [link] = bridge.computers.list();
    const client = await connectClient(bridge.mcpUrl);
    let text: string | undefined;
    void callTool(client, "exec-lua", { computerId: 12, code: "1 + 1" }).then((result) => {
      text = result.text;
    });
    const before = world.ticks;
    await world.advanceUntil(() => text !== undefined);
    expect(text).toContain("Returned: 2");
    expect(world.ticks - before).toBeLessThan(100);
    expect(bridge.computers.list()).toEqual([link]);
  });
});

describe("the odd and the large", () => {
  it("runs three megabytes of code", async () => {
    const bridge = await startTestBridge();
    await linkGameComputer(bridge, await startWorld());
    const client = await connectClient(bridge.mcpUrl);
    const code = `local s = "${"x".repeat(3_000_000)}" return #s`;
    const { text } = await callTool(client, "exec-lua", { computerId: 12, code });
    expect(text).toContain("Returned: 3000000");
  });

  it("refuses code that is too large for any computer, before anything is sent", async () => {
    const bridge = await startTestBridge({ bodyLimitBytes: 16_000_000 });
    await linkGameComputer(bridge, await startWorld());
    const client = await connectClient(bridge.mcpUrl);
    const code = `return #"${"x".repeat(5_000_000)}"`;
    const result = await callTool(client, "exec-lua", { computerId: 12, code });
    expect(result.isError).toBe(true);
    expect(result.text).toContain("takes at most 4194304");
  });

  it("accepts a label with quotes, brackets and line breaks", async () => {
    const bridge = await startTestBridge();
    const world = await startWorld();
    const computer = await placeComputer(world, { label: 'a "b"\n]] c\\' });
    computer.type(`mcp-computer ${bridge.linkUrl}\n`);
    await computer.until(() => isLinked(bridge, 12));
    const client = await connectClient(bridge.mcpUrl);
    const { text } = await callTool(client, "probe-computers");
    expect(text).toBe('pong from 12 (Label: "a \\"b\\" ]] c\\\\")');
  });

  it("keeps fifty computers apart", async () => {
    const bridge = await startTestBridge();
    const world = await startWorld();
    for (let id = 0; id < 50; id++) {
      const computer = await placeComputer(world, { id, label: `c${id}` });
      computer.type(`mcp-computer ${bridge.linkUrl}\n`);
    }
    await vi.waitFor(() => expect(bridge.registry.size).toBe(50));
    const client = await connectClient(bridge.mcpUrl);
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, computerId) => {
        const code = "os.getComputerID(), os.getComputerLabel()";
        return (await callTool(client, "exec-lua", { computerId, code })).text;
      }),
    );
    for (const [id, text] of answers.entries()) expect(text).toContain(`Returned: ${id}, "c${id}"`);
  });
});
