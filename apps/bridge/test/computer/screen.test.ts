import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { isLinked, screenText } from "./helpers.js";
import { game } from "./screen-game.js";

describe("a program in a mirrored terminal", () => {
  it("is started, typed into, read, and saves what was typed", async () => {
    const { computer, call, start, lines } = await game();
    const jobId = await start("notes /notes.txt");
    expect(await lines(jobId)).toEqual([
      "+------------------+ /notes.txt",
      "|                  |",
      "+------------------+ clicks 0",
    ]);
    const typed = await call("send-input", { jobId, steps: [{ text: "diamonds" }] });
    expect(typed.text).toContain("2||diamonds          |");
    expect(typed.facts).toMatchObject({ ended: false });
    await call("send-input", { jobId, steps: [{ key: "backspace" }, { key: "s" }] });
    expect(computer.fs.exists("/notes.txt")).toBe(false);
    await call("send-input", { jobId, steps: [{ key: "ctrl+s" }] });
    expect(computer.fs.read("/notes.txt")).toBe("diamonds");
    expect((await call("send-input", { jobId, steps: [{ key: "shift+s" }] })).text).toContain(
      "|diamondsS ",
    );
    const left = await call("send-input", { jobId, steps: [{ key: "ctrl+q" }] });
    expect(left.facts).toMatchObject({ ended: true });
    expect(left.text).toContain(texts.theProgramHasEndedDone);
    expect((await call("get-job", { jobId })).text).toMatch(
      /^Ran on 12 \(Label: base-turtle\)\.\nOutput:\n\| bye\nIt ran [^\n]+\.$/,
    );
  });

  it("returns all that a program printed, also what scrolled away", async () => {
    const { call } = await game({
      files: { "/count.lua": "for i = 1, 60 do print('line ' .. i) end" },
    });
    const { facts } = await call("run-program", { computerId: 12, command: "count" });
    const all = Array.from({ length: 60 }, (_, i) => `line ${i + 1}\n`).join("");
    expect(facts).toMatchObject({ state: "done", ok: true, output: all });
  });

  it("shows each line once, on the screen or in the output, whenever it is read", async () => {
    const { call } = await game({
      files: {
        "/log.lua":
          "local i = 0 while true do i = i + 1 print('line ' .. i) if i % 7 == 0 then sleep(0) end end",
      },
    });
    for (let look = 0; look < 5; look++) {
      const { facts, text } = await call("run-program", {
        computerId: 12,
        command: "log",
        waitMs: 150 + 37 * look,
        height: 5,
      });
      const { screen, output, jobId } = facts as {
        screen: { lines: string[] };
        output: string;
        jobId: string;
      };
      const seen = [...`${output}${screen.lines.join("\n")}`.matchAll(/line (\d+)/g)];
      const numbers = seen.map(([, number]) => Number(number));
      const tail = numbers.slice(-8);
      expect(tail, text).toEqual(tail.map((_, index) => (tail[0] ?? 0) + index));
      await call("cancel-job", { jobId });
    }
  });

  it("gives its job and who sees it, and keeps the last screen", async () => {
    const { call, computer } = await game({
      files: {
        "/lamp.lua": "redstone.setOutput('back', true) print('on') error('the lamp broke')",
        "/wait.lua": "print('waiting') os.pullEvent('never')",
      },
    });
    const failed = await call("run-program", { computerId: 12, command: "lamp" });
    expect(failed.isError).toBe(true);
    const { jobId } = failed.facts as { jobId: string };
    expect(failed.text).toContain(`It was job ${jobId}`);
    expect(failed.text).toContain(texts.areOnPerhapsLeftOn);
    expect(computer.redstone.output("back")).toBe(15);
    const shared = await call("read-screen", { computerId: 12 });
    expect(shared.text).toContain(texts.isNotSharedAndNo);
    expect(shared.text).toContain(`read-screen ${JSON.stringify({ jobId })}`);
    const last = await call("read-screen", { jobId });
    expect(last.text).toContain(texts.hasEndedFailedLampLua);
    expect(last.text).toContain("on");
    const running = await call("run-program", { computerId: 12, command: "wait", waitMs: 300 });
    expect(running.facts).toMatchObject({ state: "running", ok: true });
    expect(running.text).toMatch(new RegExp(texts.stillRunningOnIfIt));
    const cancelled = await call("cancel-job", {
      jobId: (running.facts as { jobId: string }).jobId,
      cursor: 0,
    });
    expect(cancelled.isError).toBeUndefined();
    expect(cancelled.text).toMatch(
      /^Cancelled on 12 \(Label: base-turtle\)\.\nOutput:\n\| waiting/,
    );
  });

  it("brings the agent's tab to the front to be shown", async () => {
    const { bridge, computer, call } = await game({
      files: { "/hi.lua": "print('hello there') os.pullEvent('never')" },
    });
    const tabs = () => screenText(computer);
    await call("exec-lua", {
      computerId: 12,
      code: "multishell.setFocus(shell.openTab('shell'))",
    });
    expect(tabs()).not.toContain("hello there");
    await call("run-program", {
      computerId: 12,
      command: "hi",
      show: true,
      waitMs: 300,
    });
    await computer.until(() => tabs().includes("hello there"));
    expect(isLinked(bridge, 12)).toBe(true);
  });

  it("passes arguments as the prompt does", async () => {
    const { call } = await game({
      files: { "/say.lua": "for _, a in ipairs({...}) do print('<' .. a .. '>') end" },
    });
    const { text } = await call("run-program", { computerId: 12, command: 'say one "two three"' });
    expect(text).toMatch(new RegExp(texts.ranOnLabelBaseTurtle));
  });

  it.each<[string, string, string, object?]>([
    ["a program that fails", "broken", "broken.lua:2: no diamonds"],
    ["a program that does not exist", "nonsense", "No such program"],
    [
      "a monitor that is not there",
      "broken",
      "there is no monitor named top here",
      { monitor: "top" },
    ],
    ["a monitor and the screen at once", "broken", "not on both", { monitor: "left", show: true }],
  ])("says what is wrong with %s", async (_, command, message, more = {}) => {
    const { call } = await game({
      files: { "/broken.lua": "print('digging')\nerror('no diamonds')" },
    });
    const result = await call("run-program", { computerId: 12, command, ...more });
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(/^Failed on 12 \(Label: base-turtle\): /);
    expect(result.text).toContain(message);
    expect(result.text).toContain("call run-program again");
    expect(result.facts).toMatchObject({ state: "failed", error: { code: "program-error" } });
  });

  it("is hidden from the player, whose keys and mouse do not reach it", async () => {
    const { computer, start, lines, call } = await game({
      files: {
        "/native.lua": "term.redirect(term.native()) print('unseen') os.pullEvent('never')",
      },
    });
    const before = screenText(computer).replace(/\d+ jobs? running/, "");
    const jobId = await start("notes /notes.txt");
    const native = await start("native");
    computer.type("xyz");
    computer.queueEvent("mouse_click", 1, 1, 1);
    await computer.idle();
    expect((await lines(jobId)).slice(1)).toEqual([
      "|                  |",
      "+------------------+ clicks 0",
    ]);
    expect((await lines(native))[0]).toBe("unseen");
    expect(screenText(computer)).not.toMatch(/clicks|unseen/);
    expect(screenText(computer)).toContain(before.slice(0, 40));
    await call("cancel-job", { jobId });
  });

  it("gets the computer's other events", async () => {
    const { computer, start, lines } = await game({
      files: {
        "/watch.lua":
          "print('ready') while true do local e = os.pullEvent('redstone') print(e, redstone.getInput('back')) end",
      },
    });
    const jobId = await start("watch");
    computer.redstone.setInput("back", 15);
    await computer.idle();
    expect(await lines(jobId)).toEqual(["ready", "redstone true"]);
  });

  it("gets what is typed while it is busy once it listens again", async () => {
    const { call, startBlank } = await game({
      files: {
        "/slow.lua": "sleep(10) write('name? ') local name = read() print('hello ' .. name)",
      },
    });
    const jobId = await startBlank("slow");
    const typed = await call("send-input", { jobId, steps: [{ text: "steve\n" }] });
    expect(typed.text).toContain(texts.andHasNotTakenThe);
    const { text } = await call("get-job", { jobId, waitMs: 20_000 });
    expect(text).toContain("name? steve\n| hello steve");
  });

  it("is not called busy for keys and buttons that come up, nor when it showed what was waited for", async () => {
    const { call, start, startBlank } = await game({
      files: {
        "/lock.lua":
          "while true do write('Code: ') local code = read() print(code == '2580' and 'Welcome!' or 'Wrong code.') sleep(60) end",
        "/button.lua": "os.pullEvent('mouse_click') print('clicked') sleep(60)",
      },
    });
    const jobId = await start("lock");
    const wrong = await call("send-input", { jobId, steps: [{ text: "1234\n" }] });
    expect(wrong.text).toContain("Wrong code.");
    expect(wrong.text).not.toContain("busy");
    const next = await call("send-input", { jobId, steps: [{ text: "2580\n" }] });
    expect(next.text).toContain(texts.hasNotTakenTheLast);
    const button = await startBlank("button");
    const clicked = await call("send-input", { jobId: button, steps: [{ click: { x: 1, y: 1 } }] });
    expect(clicked.text).toContain("clicked");
    expect(clicked.text).not.toContain("busy");
    const again = await call("send-input", {
      jobId: button,
      steps: [{ key: "a" }],
      waitFor: "clicked",
    });
    expect(again.text).not.toContain("busy");
  });

  it("is not reported as busy once it has read its input while the caller waited", async () => {
    const { call, startBlank } = await game({
      files: { "/slow.lua": "sleep(1) local name = read() print('hello ' .. name) sleep(60)" },
    });
    const jobId = await startBlank("slow");
    const typed = await call("send-input", { jobId, steps: [{ text: "steve\n" }], waitMs: 5_000 });
    expect(typed.text).toContain("hello steve");
    expect(typed.text).not.toContain("busy");
  });

  it("says when a screen did not change, and how a program ended during the wait", async () => {
    const { call, start } = await game({
      files: { "/ask.lua": "print('Replant?') read() sleep(0.5) print('Done.')" },
    });
    const jobId = await start("ask");
    await call("read-screen", { jobId, waitFor: "Replant?" });
    const still = await call("read-screen", { jobId, waitMs: 100 });
    expect(still.text).toContain(texts.hasNotChangedIn);
    const asked = await call("read-screen", { jobId, waitFor: "replant" });
    expect(asked.text).not.toContain("did not show");
    await call("send-input", { jobId, steps: [{ text: "y\n" }] });
    const over = await call("read-screen", { jobId, waitFor: "never", waitMs: 20_000 });
    expect(over.text).toContain(texts.hasEndedDoneThisIs);
    expect(over.text).toContain("Done.");
    expect(over.facts).toMatchObject({ ended: true });
  });

  it("does not stop others by computing, and can be cancelled; its last screen stays", async () => {
    const { call, start, lines } = await game({
      files: { "/spin.lua": "print('spinning') while true do end" },
    });
    const jobId = await start("spin");
    expect(await lines(jobId)).toEqual(["spinning"]);
    expect((await call("send-input", { jobId, steps: [{ text: "x" }] })).text).toContain(
      texts.hasNotTakenTheLastInput,
    );
    expect((await call("cancel-job", { jobId })).text).toMatch(/^Cancelled on /);
    const last = await call("read-screen", { jobId });
    expect(last.text).toContain(texts.hasEndedCancelledThisIs);
    expect(last.facts).toMatchObject({
      ended: true,
      screen: { lines: expect.arrayContaining(["spinning"]) },
    });
  });

  it("has a separate screen, of the requested size", async () => {
    const { call, start, lines } = await game({
      files: { "/size.lua": "print(...) print(term.getSize()) read()" },
    });
    const small = await start("size small", { width: 20, height: 5 });
    const own = await start("size own");
    expect(await lines(small)).toEqual(["small", "20 5"]);
    expect(await lines(own)).toEqual(["own", "51 19"]);
    const newest = await call("read-screen", { computerId: 12 });
    expect(newest.facts).toMatchObject({ jobId: own, ended: false });
  });

  it("outlasts a dropped link", async () => {
    const { bridge, computer, call, start, lines } = await game();
    const jobId = await start("notes /notes.txt");
    await call("send-input", { jobId, steps: [{ text: "before" }] });
    bridge.computers.find(12).close("disconnected", "cut by the test");
    await computer.until(() => isLinked(bridge, 12));
    await call("send-input", { jobId, steps: [{ text: "+after" }] });
    expect((await lines(jobId))[1]).toBe("|before+after      |");
  });

  it.each(["1.100.5", "1.109.0", "1.116.1"])("works in ComputerCraft %s", async (version) => {
    const { computer, call, start } = await game({ version });
    const jobId = await start("notes /notes.txt");
    await call("send-input", { jobId, steps: [{ text: "caf\u00e9" }] });
    await call("send-input", { jobId, steps: [{ key: "ctrl+s" }, { key: "ctrl+q" }] });
    expect(computer.fs.readBytes("/notes.txt").length).toBeGreaterThanOrEqual(4);
    expect((await call("get-job", { jobId })).text).toContain("bye");
  });
});
