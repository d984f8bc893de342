import { monitorPeripheral } from "@ccbridge/cc-host";
import type { Screen } from "@ccbridge/protocol";
import { describe, expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import type { Link } from "./scripted-bridge.js";
import { startAgent } from "./start-agent.js";

interface Read {
  screen: Screen;
  since: number;
  complete: boolean;
}

const read = async (link: Link, name = "left") =>
  (await link.request("read-screen", { job: `monitor:${name}`, colours: true })).result as Read;

async function withMonitor(files: Record<string, string> = {}, width = 18, height = 6) {
  const agent = await startAgent({ computer: { files } });
  const monitor = monitorPeripheral(width, height);
  agent.computer.attach("left", monitor);
  const link = await agent.link();
  return { agent, monitor, link };
}

describe("what is drawn on a monitor", () => {
  it.each([
    [18, 6],
    [51, 19],
    [39, 13],
    [26, 20],
  ])("is read as it is there, at %ix%i", async (width, height) => {
    const { agent, monitor, link } = await withMonitor({}, width, height);
    await using _ = agent;
    await link.exec(`local m = peripheral.wrap("left")
      m.setBackgroundColour(colours.blue) m.clear() m.setCursorPos(2, 2) m.setTextColor(colours.yellow)
      m.write("iron " .. string.rep("x", 60)) m.setCursorPos(1, 4) m.blit("abc", "123", "fed")
      m.scroll(1) m.setPaletteColour(colours.red, 0.5, 0.25, 0) m.setCursorPos(3, 3)
      peripheral.call("left", "write", "by call") m.setCursorBlink(true)`);
    const { screen, complete, since } = await read(link);
    expect(screen).toMatchObject({ width, height, colour: true });
    const rows = Array.from({ length: height }, (_, row) =>
      screen.text.slice(row * width, (row + 1) * width).trimEnd(),
    );
    expect(rows.join("\n").trimEnd()).toBe(
      monitor.screen
        .text()
        .split("\n")
        .map((row) => row.trimEnd())
        .join("\n")
        .trimEnd(),
    );
    expect(rows[0]).toContain("iron xxx");
    expect(rows[2]).toContain("by call");
    expect(screen.foreground?.slice(1, 5)).toBe("4444");
    expect(screen.background?.slice(0, 4)).toBe("bbbb");
    expect(screen.palette?.[14]).toBe("804000");
    expect(screen.cursor).toMatchObject({ x: 10, y: 3, blink: true });
    expect(complete).toBe(true);
    expect(since).toBeGreaterThan(0);
  });

  it("is incomplete until it is cleared, and unknown before the first drawing", async () => {
    const { agent, monitor, link } = await withMonitor();
    await using _ = agent;
    expect(await link.request("read-screen", { job: "monitor:left" })).toMatchObject({
      ok: false,
      error: expect.stringMatching(new RegExp(texts.noProgramOfThisComputer)),
    });
    expect(await link.request("read-screen", { job: "monitor:top" })).toMatchObject({
      error: texts.thereIsNoMonitorNamedTop,
    });
    monitor.methods.setCursorPos?.(3, 2);
    await link.exec("peripheral.call('left', 'write', 'hi')");
    expect(await read(link)).toMatchObject({ complete: false });
    expect((await read(link)).screen.text.slice(18, 24)).toBe("  hi  ");
    await link.exec("peripheral.call('left', 'clear')");
    expect(await read(link)).toMatchObject({ complete: true });
  });

  it("by programs of the player in other tabs, and before the monitor changed its size", async () => {
    const files = {
      "/board.lua":
        "local m = peripheral.wrap('left') m.clear() m.setCursorPos(1, 1) m.write('board') os.pullEvent('never')",
    };
    const agent = await startAgent({ computer: { advanced: true, files } });
    await using _ = agent;
    agent.computer.attach("left", monitorPeripheral());
    const link = await agent.link();
    await link.exec("shell.openTab('board')");
    await agent.computer.idle();
    expect((await read(link)).screen.text).toMatch(/^board/);
    agent.computer.detach("left");
    agent.computer.attach("left", monitorPeripheral(30, 3));
    await agent.computer.idle();
    expect(await link.request("read-screen", { job: "monitor:left" })).toMatchObject({ ok: false });
    await link.exec("peripheral.call('left', 'write', 'new')");
    expect((await read(link)).screen).toMatchObject({ width: 30, height: 3 });
  });

  it("is watched like the screen of a program, until the monitor is gone", async () => {
    const { agent, link } = await withMonitor();
    await using _ = agent;
    await link.exec("peripheral.call('left', 'clear')");
    const job = "monitor:left";
    expect(await link.request("watch-screen", { job, on: true })).toMatchObject({
      result: { watching: true, job },
    });
    await link.until("the whole screen", () => link.of("screen")[0]?.screen !== undefined);
    await link.exec("peripheral.call('left', 'write', 'row')");
    await agent.world.advance(200);
    await link.until("a row", () => link.of("screen").length === 2);
    expect(link.of("screen")[1]).toMatchObject({ job, rows: [{ y: 1 }] });
    agent.computer.detach("left");
    await agent.world.advance(200);
    await link.until("its end", () => link.of("screen").at(-1)?.ended === true);
    expect(link.malformed).toEqual([]);
  });

  it("takes no input, and errors of the game reach the program as before", async () => {
    const { agent, link } = await withMonitor();
    await using _ = agent;
    await link.exec("peripheral.call('left', 'clear')");
    const steps = [{ type: "text", text: "x" }];
    expect(await link.request("send-input", { job: "monitor:left", steps })).toMatchObject({
      ok: false,
    });
    const plain = (code: string) => link.exec(`return select(2, pcall(function() ${code} end))`);
    for (const code of [
      "peripheral.call('left', 'blit', 'ab', '1', 'f')",
      "peripheral.call('left', 'setTextColour', 3)",
      "peripheral.call('left', 'nothing')",
      "peripheral.call(1, 'write', 'x')",
    ]) {
      const ours = await plain(code);
      expect(ours).toMatchObject({ ok: true, result: { returns: [{ type: "string" }] } });
    }
    expect((await link.exec("return peripheral.call('right', 'write', 'x')")).ok).toBe(true);
  });
});

describe("the recording", () => {
  const same = "return peripheral.call == _G.before";

  it("ends with the program, which puts the function back", async () => {
    const files = {
      "/look.lua": "print(peripheral.call == _G.before and 'as before' or 'replaced')",
      "/keep.lua": "_G.before = peripheral.call",
    };
    const agent = await startAgent({
      computer: { advanced: true, files },
      command: (url) => `keep\nlook\nbg mcp-computer ${url}\n`,
    });
    await using _ = agent;
    const link = await agent.link();
    expect(await link.exec(same)).toMatchObject({ result: { returns: [{ value: false }] } });
    await agent.prompt();
    agent.computer.type("clear\nlook\n");
    await agent.shows("replaced");
    agent.computer.type("clear\nmcp-computer stop\n");
    await agent.computer.idle();
    await agent.world.advance(1_500);
    await agent.shows("mcp-computer stopped.");
    await agent.prompt();
    agent.computer.type("clear\nlook\n");
    await agent.shows("as before");
  });

  it("is switched off by a setting, which the answer names", async () => {
    const agent = await startAgent({
      computer: {
        files: {
          "/.settings": '{ ["mcp_computer.monitors"] = false }',
          "/keep.lua": "_G.before = peripheral.call",
        },
      },
      command: (url) => `keep\nmcp-computer ${url}\n`,
    });
    await using _ = agent;
    agent.computer.attach("left", monitorPeripheral());
    const link = await agent.link();
    expect(await link.exec(same)).toMatchObject({ result: { returns: [{ value: true }] } });
    expect(await link.request("read-screen", { job: "monitor:left" })).toMatchObject({
      error: expect.stringContaining("set mcp_computer.monitors true"),
    });
  });
});
