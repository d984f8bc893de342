import { programText } from "@ccbridge/lua-agent";
import { linkContract } from "@ccbridge/registry/testing";
import { describe, expect, it, vi } from "vitest";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { freePort } from "../helpers/ports.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { binary, computerId, startCraftosPc, untilLinked } from "./craftos-pc.js";
import { undoesJobFiles } from "./job-files.js";

function startProgram(linkUrl: string) {
  return startCraftosPc({
    "mcp-computer.lua": programText,
    "startup.lua": `shell.run("mcp-computer", "${linkUrl}")\n`,
  });
}

async function linked(settings: Parameters<typeof startTestBridge>[0] = {}) {
  const bridge = await startTestBridge(settings);
  const emulator = startProgram(bridge.linkUrl);
  const link = await untilLinked(bridge, emulator);
  return { bridge, emulator, link };
}

async function game() {
  const { bridge, ...rest } = await linked({ cancelGraceMs: 10_000 });
  const client = await connectClient(bridge.mcpUrl);
  const exec = (code: string, more: object = {}) =>
    callTool(client, "exec-lua", { computerId, code, ...more });
  const start = async (code: string) => {
    const { structuredContent, text } = await exec(code, { waitMs: 0 });
    const job = bridge.registry.jobs.get((structuredContent as { jobId: string }).jobId);
    if (job === undefined) throw new Error(text);
    return job;
  };
  return { ...rest, bridge, client, exec, start };
}

function cut(bridge: TestBridge): void {
  bridge.computers.find(computerId).close("disconnected", "cut by the test");
}

const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("");

const title =
  binary === undefined
    ? "mcp-computer in CraftOS-PC (skipped: CRAFTOS_PC names no binary)"
    : "mcp-computer in CraftOS-PC";

describe.skipIf(binary === undefined)(title, () => {
  for (const { name, run } of linkContract) {
    it(name, async () => {
      const { link, bridge } = await linked();
      await run(link, bridge.registry.jobs);
    });
  }

  it("gives back the files that jobs changed", async () => {
    const { client } = await game();
    await undoesJobFiles(client, computerId);
  });

  it("reports its identity and capabilities", async () => {
    const { link } = await linked();
    expect(link.provider).toMatchObject({ computerId, label: "base-turtle", kind: "computer" });
  });

  it("waits for a bridge that is not there yet", async () => {
    const linkPort = await freePort();
    const emulator = startProgram(`ws://127.0.0.1:${linkPort}`);
    await emulator.line((line) => line.includes("next try in"));
    const bridge = await startTestBridge({ linkPort });
    await untilLinked(bridge, emulator);
  });

  it("links again each time the bridge drops it", async () => {
    const { bridge, emulator, link } = await linked();
    let last = link;
    for (let round = 0; round < 2; round++) {
      cut(bridge);
      last = await untilLinked(bridge, emulator, last);
    }
    await expect(last.request("ping", undefined, { timeoutMs: 5_000 })).resolves.toMatchObject({
      ok: true,
    });
  });

  it("links again after a reboot, without the job that asked for it", async () => {
    const { bridge, emulator, link, start } = await game();
    const job = await start("os.reboot()");
    await untilLinked(bridge, emulator, link);
    await vi.waitFor(() => expect(job.state).toBe("lost"));
  });

  it("cancels a loop that never yields, and the computer stays alive", async () => {
    const { link, client, exec, start } = await game();
    const job = await start("while true do end");
    for (let round = 0; round < 3; round++) {
      await link.request("ping", undefined, { timeoutMs: 5_000 });
    }
    expect(job.state).toBe("running");
    const { text } = await callTool(client, "cancel-job", { jobId: job.id });
    expect(text).toMatch(/^Cancelled on /);
    expect((await exec("1 + 1")).text).toContain("2");
  });

  it("lets code compute for longer than the time limit", async () => {
    const { exec } = await game();
    const code =
      'local begun = os.epoch("utc") while os.epoch("utc") - begun < 9000 do end return "through"';
    expect((await exec(code)).text).toContain("through");
  });

  it("keeps a job over a dropped link, without a gap in its output", async () => {
    const { bridge, emulator, link, start } = await game();
    const job = await start('for i = 1, 80 do print(i) sleep(0.05) end return "all done"');
    await vi.waitFor(() => expect(job.output.end).toBeGreaterThan(0));
    cut(bridge);
    expect(job.status.linked).toBe(false);
    await untilLinked(bridge, emulator, link);
    await vi.waitFor(() => expect(job.ended).toBe(true));
    expect(job.state).toBe("done");
    expect(job.output.toString()).toBe(numbers(80));
    expect(job.response?.result).toMatchObject({ returns: [{ value: "all done" }] });
  });

  it("survives a link that drops while it sends", async () => {
    const { bridge, emulator, link, start } = await game();
    const job = await start(
      'local line = ("z"):rep(8000) while true do print(line) os.queueEvent("on") os.pullEvent("on") end',
    );
    let last = link;
    for (let round = 1; round <= 3; round++) {
      const before = job.output.end;
      await vi.waitFor(() => expect(job.output.end).toBeGreaterThan(before));
      cut(bridge);
      last = await untilLinked(bridge, emulator, last);
    }
    expect(job.state).toBe("running");
  });

  it.each([
    ["a normal computer", false],
    ["an advanced one", true],
  ])("shares the player's prompt on %s, which can be seen and driven", async (_name, advanced) => {
    const bridge = await startTestBridge();
    const files = {
      "mcp-computer.lua": programText,
      "startup.lua": `shell.run("mcp-computer", "${bridge.linkUrl}", "share")\n`,
    };
    await untilLinked(bridge, startCraftosPc(files, advanced));
    const client = await connectClient(bridge.mcpUrl);
    const { text, isError } = await callTool(client, "send-input", {
      computerId,
      steps: [{ text: "label get" }, { key: "enter" }],
      waitFor: 'is "base-turtle"',
      waitMs: 20_000,
    });
    expect([isError, text]).toEqual([undefined, expect.stringContaining('is "base-turtle"')]);
  });

  it("starts again at once after Ctrl+T, however often", async () => {
    const bridge = await startTestBridge();
    const run = `shell.run("mcp-computer", "${bridge.linkUrl}")`;
    const emulator = startCraftosPc({
      "mcp-computer.lua": programText,
      "startup.lua": `for i = 1, 18 do
          parallel.waitForAny(function() ${run} end, function()
            local timer = os.startTimer(0.02 * (i % 3))
            repeat local event, id = os.pullEventRaw() until event == "timer" and id == timer
            os.queueEvent("terminate")
            while true do os.pullEventRaw() end
          end)
        end
        term.clear() ${run}\n`,
    });
    // Some of the runs link before they are terminated: the last one stays.
    const ping = async () => {
      const link = await untilLinked(bridge, emulator);
      for (let beat = 0; beat < 3; beat++) {
        await link.request("ping", undefined, { timeoutMs: 5_000 });
        await link.request("exec-lua", { code: "sleep(0.3)" }, { timeoutMs: 5_000 });
      }
    };
    await vi.waitFor(ping, { timeout: 30_000 });
    expect(emulator.lines.join("\n")).toContain("linked as 12");
  });

  it("replaces the running program from the installer, in its tab", async () => {
    const bridge = await startTestBridge();
    const url = `http://127.0.0.1:${bridge.linkPort}/install.lua`;
    const old = programText.replace(/^-- mcp-computer \S+/, "-- mcp-computer 0.0.9");
    const emulator = startCraftosPc({
      "mcp-computer.lua": old,
      "startup.lua": `shell.openTab("mcp-computer", "${bridge.linkUrl}")
        os.pullEvent("websocket_message") sleep(0.5)
        shell.run("wget run ${url} --yes --no-autostart")\n`,
    });
    const first = await untilLinked(bridge, emulator);
    const second = await untilLinked(bridge, emulator, first);
    const request = {
      code: 'return multishell.getCount(), fs.open("/mcp-computer.lua", "r").readLine()',
    };
    const answer = await second.request("exec-lua", request, { timeoutMs: 5_000 });
    expect(answer).toMatchObject({
      result: { returns: [{ value: 2 }, { value: programText.split("\n")[0] }] },
    });
  });

  it("installs itself from the bridge", async () => {
    const bridge = await startTestBridge();
    const url = `http://127.0.0.1:${bridge.linkPort}/install.lua`;
    const emulator = startCraftosPc({
      "startup.lua": `shell.run("wget run ${url} --yes --no-autostart")\n`,
    });
    const link = await untilLinked(bridge, emulator);
    expect(link.provider).toMatchObject({ agent: { name: "mcp-computer" } });
  });

  it("starts in a tab after a reboot once it is installed with autostart", async () => {
    const bridge = await startTestBridge();
    const url = `http://127.0.0.1:${bridge.linkPort}/install.lua`;
    const emulator = startCraftosPc({
      "startup.lua": `if not fs.exists("mcp-computer.lua") then shell.run("wget run ${url} --autostart") end\n`,
    });
    const link = await untilLinked(bridge, emulator);
    const reboot = link.request("exec-lua", { code: "os.reboot()" }, { timeoutMs: 5_000 });
    await expect(reboot).rejects.toMatchObject({ code: "disconnected" });
    const again = await untilLinked(bridge, emulator, link);
    const tabs = await again.request(
      "exec-lua",
      { code: "multishell.getCount()" },
      { timeoutMs: 5_000 },
    );
    expect(tabs).toMatchObject({ result: { returns: [{ value: 2 }] } });
  });
});
