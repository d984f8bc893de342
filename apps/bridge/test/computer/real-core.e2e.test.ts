import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { programText } from "@ccbridge/lua-agent";
import type { ComputerLink } from "@ccbridge/registry";
import { linkContract } from "@ccbridge/registry/testing";
import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { isLinked } from "./helpers.js";
import { undoesJobFiles } from "./job-files.js";
import { computerId, startRealComputer, wrapper } from "./real-core.js";

async function linkRealComputer(
  bridge: TestBridge,
  flags: readonly string[] = [],
  startup?: (run: string) => string,
) {
  return (await startRealComputer(bridge, { flags, ...(startup && { startup }) })).link;
}

const title =
  wrapper === undefined
    ? "mcp-computer in CC:Tweaked (skipped: CC_TWEAKED names no wrapper)"
    : "mcp-computer in CC:Tweaked";

// The contract of the link, with the real program in the game's own Lua.
describe.skipIf(wrapper === undefined)(title, () => {
  for (const { name, run } of linkContract) {
    it(name, { timeout: 60_000 }, async () => {
      const bridge = await startTestBridge();
      await run(await linkRealComputer(bridge), bridge.registry.jobs);
    });
  }

  it("moves its keys to a file that no tool reads", { timeout: 60_000 }, async () => {
    const token = "the-link-token-of-the-bridge";
    const bridge = await startTestBridge({ linkTokens: [token] });
    const { link, root } = await startRealComputer(bridge, {
      files: {
        ".settings": `{ ["mcp_computer.url"] = "${bridge.linkUrl}", ["mcp_computer.token"] = "${token}", ["my.note"] = "mine" }`,
        ".mcp-computer.id": "5ca1ab1e",
      },
    });
    expect(link.provider.instance).toBe("5ca1ab1e");
    expect(readFileSync(join(root, ".mcp-computer.secret"), "utf8")).toContain(token);
    const settings = readFileSync(join(root, ".settings"), "utf8");
    expect(settings).toContain("my.note");
    expect(settings).not.toContain(token);
    expect(existsSync(join(root, ".mcp-computer.id"))).toBe(false);
    for (const path of [
      ...["/.mcp-computer.secret", "a/../.MCP-Computer.secret/", "\\.mcp-computer.secret"],
      ...[
        " .mcp-computer.secret ",
        ".../.mcp-computer.secret",
        `.mcp-computer.secret${" ".repeat(260)}x`,
      ],
    ]) {
      const read = await link.request("read-file", { path }, { timeoutMs: 10_000 });
      expect(read, path).toMatchObject({ ok: false, error: expect.stringContaining("no tool") });
    }
    const read = await link.request("read-file", { path: "/.settings" }, { timeoutMs: 10_000 });
    expect(read).toMatchObject({ ok: true });
  });

  it("shares the player's prompt, which can be seen and controlled", {
    timeout: 60_000,
  }, async () => {
    const bridge = await startTestBridge();
    await linkRealComputer(bridge, ["share"]);
    const client = await connectClient(bridge.mcpUrl);
    const { text, isError } = await callTool(client, "send-input", {
      computerId,
      steps: [{ text: "label get" }, { key: "enter" }],
      waitFor: 'is "base-turtle"',
      waitMs: 20_000,
    });
    expect([isError, text]).toEqual([undefined, expect.stringContaining('is "base-turtle"')]);
  });

  it("keeps the link of a computer that talks and is asked nothing", {
    timeout: 60_000,
  }, async () => {
    const bridge = await startTestBridge({ heartbeatMs: 1_000, unresponsiveAfterMs: 3_000 });
    const link = await linkRealComputer(bridge);
    const job = bridge.registry.jobs.start(link, {
      method: "exec-lua",
      params: { code: "for i = 1, 240 do print(i) sleep(0.05) end" },
      summary: "",
    });
    await vi.waitFor(() => expect(job.state).toBe("done"), { timeout: 40_000 });
    expect(bridge.computers.list()).toEqual([link]);
  });

  it("runs only once: a second start finds the first", { timeout: 60_000 }, async () => {
    const bridge = await startTestBridge();
    let links = 0;
    bridge.registry.changes.subscribe(({ topic }) => {
      if (topic === "linked") links += 1;
    });
    const twice = (run: string) => `local function run() ${run} end parallel.waitForAll(run, run)`;
    const link = await linkRealComputer(bridge, [], twice);
    const code = "sleep(5) return 1";
    const answer = link.request("exec-lua", { code }, { timeoutMs: 20_000 });
    await expect(answer).resolves.toMatchObject({ ok: true });
    expect(links).toBe(1);
  });

  it("stops while it dials without leaving a socket behind", { timeout: 60_000 }, async () => {
    const bridge = await startTestBridge();
    const restarts = (run: string) => `for _ = 1, 8 do
        parallel.waitForAny(function() ${run} end, function()
          os.queueEvent("go") os.pullEvent("go") os.queueEvent("terminate")
          while true do os.pullEventRaw() end
        end)
      end
      os.setComputerLabel("last") ${run}`;
    // Some of the others may link briefly.
    await linkRealComputer(bridge, [], restarts);
    const last = () => bridge.computers.list().find((link) => link.name.includes("last"));
    await vi.waitFor(() => expect(last()).toBeDefined(), { timeout: 5_000 });
    const pong = last()?.request("ping", undefined, { timeoutMs: 5_000 });
    await expect(pong).resolves.toMatchObject({ ok: true });
  });

  it("keeps the timeoutMs of a job when the bridge restarts", { timeout: 60_000 }, async () => {
    const bridge = await startTestBridge();
    const { id } = bridge.registry.jobs.start(await linkRealComputer(bridge), {
      method: "exec-lua",
      params: { code: "while true do pcall(sleep, 0.5) end" },
      summary: "",
      timeoutMs: 8_000,
    });
    await bridge.close();
    const { registry } = await startTestBridge({ linkPort: bridge.linkPort });
    await vi.waitFor(() => expect(registry.jobs.get(id)?.state).toBe("timed-out"), {
      timeout: 30_000,
    });
  });

  it("stays on when code that catches every error is cancelled", { timeout: 60_000 }, async () => {
    const bridge = await startTestBridge();
    const link = await linkRealComputer(bridge);
    const code = "while true do pcall(function() while true do end end) end";
    const job = bridge.registry.jobs.start(link, {
      method: "exec-lua",
      params: { code },
      summary: "",
    });
    await link.request("ping", undefined, { timeoutMs: 5_000 });
    bridge.registry.jobs.stop(job, "cancelled");
    await vi.waitFor(() => expect(job.state).toBe("cancelled"));
    await expect(link.request("ping", undefined, { timeoutMs: 5_000 })).resolves.toMatchObject({
      ok: true,
    });
  });

  it("says of a job that was sent while the game stood still what became of it", {
    timeout: 60_000,
  }, async () => {
    const bridge = await startTestBridge({ heartbeatMs: 500, dropAfterMs: 3_000 });
    const { jobs } = bridge.registry;
    const { link, signal } = await startRealComputer(bridge, {});
    const start = (code: string) =>
      jobs.start(bridge.computers.find(computerId), {
        method: "exec-lua",
        params: { code },
        summary: "",
      });
    const before = start("sleep(6) return 1");
    await link.request("ping", undefined, { timeoutMs: 5_000 });
    signal("SIGSTOP");
    const meanwhile = start("return 2");
    await vi.waitFor(() => expect(isLinked(bridge, computerId)).toBe(false), { timeout: 10_000 });
    signal("SIGCONT");
    await vi.waitFor(() => expect(isLinked(bridge, computerId)).toBe(true), { timeout: 20_000 });
    await vi.waitFor(() => expect([before.state, meanwhile.ended]).toEqual(["done", true]), {
      timeout: 20_000,
    });
    if (meanwhile.state !== "done") {
      expect(meanwhile).toMatchObject({ state: "failed", note: texts.itNeverArrivedThereSo });
    }
    expect(jobs.list()).toHaveLength(2);
  });

  it("gives back the files that jobs changed", { timeout: 120_000 }, async () => {
    const bridge = await startTestBridge();
    await linkRealComputer(bridge);
    await undoesJobFiles(await connectClient(bridge.mcpUrl), computerId);
  });

  it("installs itself, goes back from a program that does not link, and leaves nothing behind", {
    timeout: 150_000,
  }, async () => {
    const bridge = await startTestBridge();
    const url = `http://127.0.0.1:${bridge.linkPort}/install.lua`;
    const steps = `local function append(path, text)
        local file = fs.open(path, "a") file.write(text) file.close()
      end
      append("/step", "x")
      local step = fs.getSize("/step")
      if step == 1 then
        fs.delete("/mcp-computer.lua")
        shell.run("wget run ${url} --yes --autostart")
      elseif step == 3 then
        shell.run("mcp-computer --uninstall")
        fs.delete("/step") fs.delete("/startup.lua")
        append("/left", table.concat(fs.list("/"), " "))
        os.shutdown()
      end`;
    const { link, root } = await startRealComputer(bridge, { startup: () => steps });
    const program = () => readFileSync(join(root, "mcp-computer.lua"), "utf8");
    expect(program()).toBe(programText);
    const next = async (before: ComputerLink, timeout: number) => {
      await vi.waitFor(
        () => {
          const link = bridge.computers.list()[0];
          if (link === undefined || link === before) throw new Error("not linked again");
        },
        { timeout },
      );
      return bridge.computers.find(computerId);
    };
    // Once it has heard the greeting, it deletes the program before it.
    await link.request("ping", undefined, { timeoutMs: 5_000 });
    // As after an update: the boot entry starts the old one, which watches the new one.
    writeFileSync(join(root, "mcp-computer.lua.old"), programText);
    writeFileSync(
      join(root, "mcp-computer.lua"),
      "-- mcp-computer 9.9.9\nwhile true do os.pullEvent() end",
    );
    await link.request("reboot-computer", undefined, { timeoutMs: 5_000 });
    const back = await next(link, 90_000);
    expect(program()).toBe(programText);
    expect(existsSync(join(root, "mcp-computer.lua.old"))).toBe(false);
    await back.request("reboot-computer", undefined, { timeoutMs: 5_000 });
    await vi.waitFor(() => expect(readFileSync(join(root, "left"), "utf8")).toBe("rom"), {
      timeout: 30_000,
    });
  });
});
