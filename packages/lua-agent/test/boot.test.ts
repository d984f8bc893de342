import { monitorPeripheral } from "@ccbridge/cc-host";
import { describe, expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import type { Link } from "./scripted-bridge.js";
import { screenText, startAgent } from "./start-agent.js";

const BOOT = "/.mcp-computer.boot";
const FILES = {
  "/board.lua": "print('the board') while true do os.pullEvent('never') end",
  "/busy.lua": "while true do end",
  "/fails.lua": "error('no luck')",
  "/reboots.lua": "os.reboot()",
  "/lamp.lua": "while true do rs.setOutput('back', not rs.getOutput('back')) sleep(0.5) end",
};

const list = async (link: Link) => (await link.request("boot-programs", {})).result;
const add = (link: Link, command: string, more: object = {}) =>
  link.request("boot-programs", { add: { command, ...more } });

async function reboot(agent: Awaited<ReturnType<typeof startAgent>>, number: number) {
  agent.computer.reboot();
  await agent.world.advance(3_000);
  return agent.link(number);
}

describe.each([
  ["a normal computer", false],
  ["an advanced computer with tabs", true],
])("programs that start at boot on %s", (_name, advanced) => {
  const start = (files: Record<string, string> = {}) =>
    startAgent({ computer: { advanced, files: { ...FILES, ...files } }, args: "--autostart" });

  it("are kept, started beside the prompt and the link, listed and removed", async () => {
    await using agent = await start();
    const link = await agent.link();
    expect(await list(link)).toEqual({ programs: [], off: false, autostart: true });
    expect(await add(link, "board")).toMatchObject({ ok: true });
    expect(await add(link, "fails")).toMatchObject({ ok: true });
    const again = await reboot(agent, 2);
    expect(again.hello.programs).toMatchObject([
      { command: "board", atBoot: true },
      { command: "fails", atBoot: true },
    ]);
    expect(again.hello.jobs).toEqual([]);
    const [board, fails] = again.hello.programs;
    await again.until("its end", () => again.responses(fails?.id ?? "").length > 0);
    expect(again.responses(fails?.id ?? "")[0]).toMatchObject({
      ok: false,
      error: expect.stringContaining("no luck"),
    });
    expect(await again.request("read-screen", { job: board?.id })).toMatchObject({
      ok: true,
      result: { screen: { text: expect.stringContaining("the board") } },
    });
    expect(await list(again)).toMatchObject({
      programs: [{ command: "board", job: board?.id }, { command: "fails" }],
    });
    await agent.prompt();
    agent.computer.type("id\n");
    await agent.shows("This is computer #12");
    expect(await again.request("boot-programs", { remove: "fails" })).toMatchObject({
      result: { removed: true, programs: [{ command: "board" }] },
    });
    expect(await again.request("boot-programs", { remove: "fails" })).toMatchObject({
      result: { removed: false },
    });
    again.cancel(board?.id ?? "");
    expect(await again.response(board?.id ?? "")).toMatchObject({ error: "cancelled" });
  });

  it("may compute for ever: the link answers and the prompt works", async () => {
    await using agent = await start({
      [BOOT]: '{ starts = 0, programs = { { command = "busy" } } }',
    });
    const link = await agent.link();
    expect(link.hello.programs).toMatchObject([{ command: "busy" }]);
    expect(await link.exec("return 1")).toMatchObject({ ok: true });
    const again = await reboot(agent, 2);
    expect(again.hello.programs).toMatchObject([{ command: "busy" }]);
    expect(await again.exec("return 1")).toMatchObject({ ok: true });
    await agent.prompt();
    for (const char of "id") agent.computer.queueEvent("char", char);
    agent.computer.queueEvent("key", 257, false);
    await agent.shows("This is computer #12");
  });

  it("are switched off when they take the computer down again and again, and on by adding one", async () => {
    await using agent = await start({
      [BOOT]: '{ starts = 0, programs = { { command = "reboots" }, { command = "board" } } }',
    });
    for (let boots = 0; boots < 8; boots++) await agent.world.advance(3_000);
    await agent.world.advance(1_000);
    const last = agent.bridge.links.at(-1) as Link;
    await last.until("hello", () => last.of("hello").length > 0);
    expect(await list(last)).toMatchObject({ off: true, programs: [{}, {}] });
    expect(last.hello.programs).toEqual([]);
    expect(await last.exec("return 1")).toMatchObject({ ok: true });
    await last.request("boot-programs", { remove: "reboots" });
    await add(last, "board");
    const count = agent.bridge.links.length;
    const again = await reboot(agent, count + 1);
    expect(again.hello.programs).toMatchObject([{ command: "board" }]);
  });

  it("run on when the bridge refuses the link", async () => {
    await using agent = await start({
      [BOOT]: '{ starts = 0, programs = { { command = "lamp" } } }',
    });
    const link = await agent.link();
    expect(link.hello.programs).toMatchObject([{ command: "lamp" }]);
    link.close(4401, "no");
    await agent.world.advance(1_000);
    const isLit = () => agent.computer.redstone.output("back") > 0;
    await agent.world.advanceUntil(isLit);
    await agent.world.advanceUntil(() => !isLit());
    await agent.shows("The bridge refused the token.");
    await agent.shows(texts.itsProgramsRunOn);
  });

  it("start again after an update, and are not blamed for a reboot that was asked for", async () => {
    await using agent = await start();
    const link = await agent.link();
    await add(link, "board");
    for (let boots = 2; boots < 7; boots++) {
      const last = agent.bridge.links.at(-1) as Link;
      await last.request("reboot-computer", {});
      await agent.world.advance(5_000);
      const next = await agent.link(boots);
      expect(next.hello.programs).toMatchObject([{ command: "board" }]);
    }
    const before = agent.bridge.links.at(-1) as Link;
    agent.computer.queueEvent("mcp-computer", "restart", false);
    await agent.world.advance(2_000);
    const after = await agent.link(7);
    expect(after.hello.programs).toMatchObject([{ command: "board" }]);
    expect(after.hello.programs[0]?.id).not.toBe(before.hello.programs[0]?.id);
  });
});

describe("programs that start at boot", () => {
  it("wait for a monitor that appears after the start, and say which one is missing", async () => {
    const program = '{ command = "board", monitor = "left", width = 20, height = 5 }';
    await using agent = await startAgent({
      computer: {
        files: { ...FILES, [BOOT]: `{ starts = 0, programs = { ${program} } }` },
      },
    });
    const link = await agent.link();
    expect(link.hello.programs).toEqual([]);
    const monitor = monitorPeripheral(40, 10);
    agent.computer.attach("left", monitor);
    await agent.world.advance(2_100);
    await link.until("another hello", () => link.of("hello").length > 1);
    expect(link.of("hello")[1]?.programs).toMatchObject([{ command: "board" }]);
    expect(monitor.screen.text()).toContain("the board");
    agent.computer.detach("left");
    agent.computer.reboot();
    await agent.world.advance(3_000);
    await agent.prompt();
    agent.computer.type(`mcp-computer ${agent.bridge.url}\n`);
    await agent.link(2);
    await agent.world.advance(22_100);
    await agent.shows("board was not started: there is no monitor named left here");
  });

  it("do not start while the player locks the computer, and no tool for files writes their list", async () => {
    await using agent = await startAgent({
      computer: {
        files: {
          ...FILES,
          [BOOT]: '{ starts = 0, programs = { { command = "board" } } }',
          "/.settings": '{ ["mcp_computer.allow"] = "files" }',
        },
      },
    });
    const link = await agent.link();
    expect(link.hello.programs).toEqual([]);
    expect(await link.request("boot-programs", {})).toMatchObject({ ok: false });
    expect(await link.request("write-file", { path: BOOT, content: "x" })).toMatchObject({
      error: expect.stringContaining(texts.mustNotBeChanged),
    });
  });

  it("are at most eight, and are named by --uninstall", async () => {
    await using agent = await startAgent({ computer: { files: FILES }, args: "--autostart" });
    const link = await agent.link();
    for (let n = 0; n < 8; n++) expect(await add(link, `board ${n}`)).toMatchObject({ ok: true });
    expect(await add(link, "board 8")).toMatchObject({
      error: expect.stringContaining(texts.programsStartAtBootAlready),
    });
    agent.computer.terminate();
    await agent.prompt();
    agent.computer.type("clear\nmcp-computer --uninstall\n");
    await agent.shows(`removed ${BOOT}`);
    expect(agent.computer.fs.exists(BOOT)).toBe(false);
    expect(screenText(agent.computer)).not.toContain("not removed");
  });
});

it("a program that runs when the bridge refuses the link goes on, and the prompt is free when it has ended", async () => {
  await using agent = await startAgent({
    computer: { files: { ...FILES, "/waits.lua": "os.pullEvent('go') rs.setOutput('top', true)" } },
  });
  const link = await agent.link();
  link.send("run-program", { command: "waits" });
  await agent.shows("1 job running");
  link.close(4401, "no");
  await agent.shows(texts.itsProgramsRunOn);
  agent.computer.queueEvent("go");
  await agent.prompt();
  expect(agent.computer.redstone.output("top")).toBe(15);
});

describe("programs that wait for input", () => {
  it("leave room for other work, and the refused one says the limit", async () => {
    await using agent = await startAgent({ computer: { files: FILES } });
    const link = await agent.link();
    for (let n = 0; n < 16; n++) link.send("run-program", { command: "board" });
    expect(await link.exec("return 1")).toMatchObject({ ok: true });
    expect(await link.request("run-program", { command: "board" })).toMatchObject({
      error: texts.sixteenProgramsAlreadyRun,
    });
    for (let n = 0; n < 15; n++) link.send("exec-lua", { code: "os.pullEvent('never')" });
    expect(await link.request("list-files", { path: "/" })).toMatchObject({ ok: true });
  });
});
