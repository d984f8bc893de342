import { monitorPeripheral, screenContains } from "@ccbridge/cc-host";
import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { game } from "./screen-game.js";

describe("the screen of the computer itself", () => {
  it("is read where the agent runs in a window that remembers, as in old tabs", async () => {
    const { call } = await game({ version: "1.100.5" });
    const { text, facts } = await call("read-screen", { computerId: 12 });
    expect(text).toContain(texts.theScreenOfComputer);
    expect(text).toContain("linked as 12 (Label: base-turtle)");
    expect(facts).toMatchObject({ jobId: null });
  });
});

describe("where a program is shown", () => {
  it("is a monitor, whose touches are clicks", async () => {
    const { computer, call, start } = await game();
    const monitor = monitorPeripheral(36, 10);
    computer.attach("left", monitor);
    const jobId = await start("notes /notes.txt", { monitor: "left" });
    expect(monitor.screen.text()).toContain("clicks 0");
    computer.queueEvent("monitor_touch", "left", 3, 2);
    computer.queueEvent("monitor_touch", "right", 3, 2);
    await computer.idle();
    const { facts } = await call("read-screen", { jobId });
    expect(facts.screen).toMatchObject({ width: 36, height: 10 });
    expect((facts.screen as { lines: string[] }).lines[2]).toContain("clicks 1");
    expect(monitor.screen.text()).toContain("clicks 1");
  });

  it("is a monitor, where the picture stays and can be read when the program is over", async () => {
    const { computer, call } = await game({ files: { "/hello.lua": "print('WELCOME HOME')" } });
    const monitor = monitorPeripheral(36, 10);
    computer.attach("left", monitor);
    const ran = await call("run-program", { computerId: 12, command: "hello", monitor: "left" });
    expect(ran.text).toContain(texts.itsLastScreenWhichStays);
    expect(monitor.screen.text()).toContain("WELCOME HOME");
    const { jobId } = ran.facts as { jobId: string };
    expect((await call("read-screen", { jobId })).text).toContain("WELCOME HOME");
  });

  it("is a monitor with the size that was asked for, which the answer says", async () => {
    const { computer, call } = await game({ files: { "/wait.lua": "os.pullEvent('never')" } });
    computer.attach("left", monitorPeripheral(36, 10));
    const at = { computerId: 12, command: "wait", monitor: "left", waitMs: 300 };
    const whole = await call("run-program", at);
    expect(whole.text).toContain(texts.itIsOnThe);
    const part = await call("run-program", { ...at, width: 20, height: 5 });
    expect(part.text).toContain(texts.itIsOnTheMonitor);
    computer.attach("right", {
      ...monitorPeripheral(),
      methods: { ...monitorPeripheral().methods, getSize: () => ({ 1: 18, 2: 12 }) },
    });
    const odd = await call("run-program", { ...at, monitor: "right" });
    expect(odd.text).toContain("it is table by nil");
    const given = await call("run-program", { ...at, monitor: "right", width: 18, height: 4 });
    expect(given.text).toContain(texts.itIsOnTheMonitorRight);
  });

  it("is a monitor, on which what other programs drew is read as text and picture", async () => {
    const { computer, call } = await game();
    const monitor = monitorPeripheral(36, 10);
    computer.attach("left", monitor);
    const at = { computerId: 12, monitor: "left" };
    const unknown = await call("read-screen", at);
    expect(unknown.isError).toBe(true);
    expect(unknown.text).toContain(texts.noProgramOfThis);
    const draw = "local m = peripheral.wrap('left') m.setCursorPos(1, 2) m.write('IRON 64')";
    await call("exec-lua", { computerId: 12, code: draw });
    const read = await call("read-screen", at);
    expect(read.text).toContain(texts.drewOnItsMonitor);
    expect(read.text).toContain("2|IRON 64");
    const waited = call("read-screen", { ...at, waitFor: "GOLD", waitMs: 5_000 });
    await call("exec-lua", { computerId: 12, code: draw.replace("IRON", "GOLD") });
    expect((await waited).text).toContain("2|GOLD 64");
    const picture = await call("read-screen", { ...at, image: true });
    expect(picture.text).toContain("36x10");
  });

  it("is the computer's screen, which the player shares until the program ends", async () => {
    const { computer, call, start, lines } = await game();
    const jobId = await start("notes /notes.txt", { show: true });
    expect(computer.screen.text()).toContain("clicks 0");
    expect(computer.screen.text()).not.toContain("linked");
    computer.type("both");
    await computer.until(screenContains("|both"));
    await call("send-input", { jobId, steps: [{ text: " of us" }] });
    await computer.until(screenContains("|both of us"));
    expect((await lines(jobId))[1]).toBe("|both of us        |");
    const second = await call("run-program", { computerId: 12, command: "notes x", show: true });
    expect(second.text).toContain(texts.anotherProgramIsOnThis);
    computer.terminate();
    await computer.until(screenContains("linked"));
    expect(computer.screen.text()).not.toContain("clicks");
    expect((await call("get-job", { jobId, waitMs: 5_000 })).text).toContain("Terminated");
    expect((await call("exec-lua", { computerId: 12, code: "1 + 1" })).text).toContain("2");
  });
});

describe("a picture of a screen", () => {
  it("comes as an image without structured content, also to a client that checks schemas", async () => {
    const { client, start } = await game();
    await client.listTools();
    const jobId = await start("notes /notes.txt");
    const result = await client.callTool({
      name: "read-screen",
      arguments: { jobId, image: true },
    });
    expect(result.structuredContent).toMatchObject({ jobId, ended: false, screen: { width: 51 } });
    const [caption, image] = result.content as {
      type: string;
      text?: string;
      data?: string;
      mimeType?: string;
    }[];
    expect(caption?.text).toBe(fill(texts.theProgramOfJobOn, jobId));
    expect(image).toMatchObject({ type: "image", mimeType: "image/png" });
    const png = Buffer.from(image?.data ?? "", "base64");
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([612, 342]);
  });

  it("describes colours as text on request", async () => {
    const { call, start } = await game();
    const jobId = await start("notes /notes.txt");
    const { text } = await call("read-screen", { jobId, colours: true });
    expect(text).toContain("2||                  |\n");
    expect(text).toContain("Lines 1 to 19: columns 1-51 yellow on blue.");
    expect((await call("read-screen", { jobId })).text).not.toContain("yellow");
  });
});
