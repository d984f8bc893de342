import type { ScreenFrame } from "@ccbridge/protocol";
import { describe, expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import type { Link } from "./scripted-bridge.js";
import { screenText, startAgent } from "./start-agent.js";

const screens = (link: Link): ScreenFrame[] => link.of("screen");
const rowsOf = (frame?: ScreenFrame) => frame?.rows?.map(({ y, text }) => [y, text.trimEnd()]);

const COUNTER = `term.clear() term.setCursorPos(1, 1)
  for i = 1, 1000 do
    os.pullEvent("draw") term.setCursorPos(1, 3) term.write("line " .. i)
  end`;

async function counter() {
  const agent = await startAgent({ computer: { files: { "/counter.lua": COUNTER } } });
  const link = await agent.link();
  const job = link.send("run-program", { command: "counter", width: 20, height: 5 });
  await link.request("ping");
  const draw = async () => {
    agent.computer.queueEvent("draw");
    await agent.computer.idle();
    await agent.world.advance(150);
  };
  return { agent, link, job, draw };
}

describe("watch-screen", () => {
  it("sends the whole screen, then the rows that changed, and nothing when nothing did", async () => {
    const { agent, link, job, draw } = await counter();
    await using _ = agent;
    expect(await link.request("watch-screen", { job, on: true })).toMatchObject({
      ok: true,
      result: { watching: true, job },
    });
    await link.until("the whole screen", () => screens(link).length === 1);
    expect(screens(link)[0]).toMatchObject({ job, screen: { width: 20, height: 5 } });
    expect(screens(link)[0]?.screen?.palette).toHaveLength(16);
    for (let event = 0; event < 5; event++) agent.computer.queueEvent("anything");
    await agent.world.advance(1_000);
    expect(screens(link).length).toBe(1);
    await draw();
    await link.until("a row", () => screens(link).length === 2);
    expect(rowsOf(screens(link)[1])).toEqual([[3, "line 1"]]);
    expect(screens(link)[1]).toMatchObject({ job, cursor: { x: 7, y: 3 } });
    await link.request("watch-screen", { job, on: true });
    await agent.world.advance(1_000);
    await link.request("ping");
    expect(screens(link).length).toBe(2);
    await link.request("watch-screen", { job, on: true, whole: true });
    await agent.world.advance(150);
    await link.until("the whole screen again", () => screens(link).length === 3);
    expect(screens(link)[2]).toMatchObject({ job, screen: { width: 20 } });
    expect(await link.request("watch-screen", { job, on: false })).toMatchObject({
      result: { watching: false },
    });
    await draw();
    await link.request("ping");
    expect(screens(link).length).toBe(3);
    expect(link.malformed).toEqual([]);
  });

  it("leaves a program for a newer one when no job is named", async () => {
    const { agent, link, job, draw } = await counter();
    await using _ = agent;
    await link.request("watch-screen", { on: true });
    await link.until("the first screen", () => screens(link).length === 1);
    const newer = link.send("run-program", { command: "counter", width: 20, height: 5 });
    await link.request("ping");
    expect(await link.request("watch-screen", { on: true })).toMatchObject({
      result: { job: newer },
    });
    await link.until("the newer screen", () => screens(link).length === 2);
    await draw();
    await link.until("a row of it", () => screens(link).length === 3);
    await draw();
    await link.until("another row", () => screens(link).length === 4);
    expect(screens(link).map((frame) => frame.job)).toEqual([job, newer, newer, newer]);
  });

  it("sends at most ten a second, and the newest for certain", async () => {
    const { agent, link, job } = await counter();
    await using _ = agent;
    await link.request("watch-screen", { job, on: true });
    for (let tick = 0; tick < 40; tick++) {
      for (let n = 0; n < 5; n++) agent.computer.queueEvent("draw");
      await agent.computer.idle();
      await agent.world.advance(50);
    }
    await agent.world.advance(200);
    await link.until("the newest", () => rowsOf(screens(link).at(-1))?.[0]?.[1] === "line 200");
    expect(screens(link).length).toBeGreaterThan(10);
    expect(screens(link).length).toBeLessThanOrEqual(24);
  });

  it("follows the newest program when no job is named, until that ends", async () => {
    const { agent, link, job } = await counter();
    await using _ = agent;
    expect(await link.request("watch-screen", { on: true })).toMatchObject({ result: { job } });
    link.cancel(job);
    await link.until("the end", () => screens(link).at(-1)?.ended === true);
    expect(await link.request("watch-screen", { on: true })).toMatchObject({ ok: false });
    expect(await link.request("watch-screen", { on: false })).toMatchObject({ ok: true });
    expect(await link.request("watch-screen", { job: "nobody", on: true })).toMatchObject({
      error: texts.noProgramIsRunningHere,
    });
  });

  it("ends with the link", async () => {
    const { agent, link, job, draw } = await counter();
    await using _ = agent;
    await link.request("watch-screen", { job, on: true });
    link.drop();
    await agent.shows("next try in");
    await agent.world.advance(2_100);
    const second = await agent.link(2);
    await draw();
    await second.request("ping");
    expect(screens(second)).toEqual([]);
    await second.request("watch-screen", { job, on: true });
    await second.until("the whole screen", () => screens(second)[0]?.screen !== undefined);
  });
});

describe.each([
  ["a normal computer", false],
  ["an advanced computer with tabs", true],
])("a shared prompt on %s", (_name, advanced) => {
  const start = () =>
    startAgent({ computer: { advanced }, command: (url) => `mcp-computer ${url} share\n` });
  const text = async (link: Link) => {
    const { result } = await link.request("read-screen", {});
    return (result as { screen: { text: string } }).screen.text;
  };

  it("works for the player as usual, and can be seen and controlled from outside", async () => {
    await using agent = await start();
    const link = await agent.link();
    await agent.shows("shared, linked");
    await agent.prompt();
    agent.computer.type("id\n");
    await agent.shows("This is computer #12");
    expect(await text(link)).toContain("> id");
    const sent = link.request("send-input", {
      steps: [
        { type: "text", text: "label get" },
        { type: "key", key: "enter" },
      ],
      by: "claude",
    });
    await agent.shows("base-turtle");
    await agent.world.advance(200);
    expect(await sent).toMatchObject({ ok: true, result: { ended: false } });
    await agent.shows("driven by claude");
    expect(await link.request("watch-screen", { on: true })).toMatchObject({
      result: { watching: true },
    });
    await link.until("the prompt", () => screens(link)[0]?.screen !== undefined);
    expect(screens(link)[0]?.job).toBeUndefined();
    expect(link.malformed).toEqual([]);
  });

  it("does not enter what the player has half typed with a client's line", async () => {
    await using agent = await start();
    const link = await agent.link();
    await agent.shows("shared, linked");
    await agent.prompt();
    const send = async (steps: unknown[]) => {
      const sent = link.request("send-input", { steps, by: "claude" });
      await agent.computer.idle();
      await agent.world.advance(200);
      return (await sent).result;
    };
    agent.computer.type("rm precious");
    await agent.shows("> rm precious");
    const enter = [
      { type: "text", text: "id" },
      { type: "key", key: "enter" },
    ];
    expect(await send(enter)).toMatchObject({ cleared: true });
    await agent.shows("> id This is computer #12");
    expect(screenText(agent.computer)).not.toContain("precious");
    expect(await send([{ type: "text", text: "label " }])).not.toHaveProperty("cleared");
    expect(
      await send([
        { type: "text", text: "get" },
        { type: "key", key: "enter" },
      ]),
    ).not.toHaveProperty("cleared");
    await agent.shows("> label get");
    await agent.shows("base-turtle");
    agent.computer.fs.write(
      "/keys.lua",
      "while true do write(select(2, os.pullEvent('char'))) end",
    );
    agent.computer.type("clear\nkeys\n");
    await agent.computer.idle();
    agent.computer.type("mine");
    await agent.shows("mine");
    expect(await send([{ type: "text", text: "+its" }])).not.toHaveProperty("cleared");
    await agent.shows("mine+its");
  });

  it("comes back when the shell ends or is terminated, and the link stays", async () => {
    await using agent = await start();
    const link = await agent.link();
    await agent.shows("shared, linked");
    await agent.prompt();
    await agent.world.advance(2_000);
    agent.computer.type("exit\n");
    await agent.computer.idle();
    await agent.prompt();
    await agent.world.advance(2_000);
    agent.computer.terminate();
    await agent.computer.idle();
    await agent.prompt();
    agent.computer.type("id\n");
    await agent.shows("This is computer #12");
    expect(await link.request("ping")).toMatchObject({ ok: true });
    expect(agent.bridge.links.length).toBe(1);
  });

  it("is the player's alone again after one command, and shared again after another", async () => {
    await using agent = await start();
    const link = await agent.link();
    await agent.shows("shared, linked");
    await agent.prompt();
    agent.computer.type("mcp-computer unshare\n");
    await agent.shows("no longer shared");
    expect(screenText(agent.computer)).not.toContain("shared, linked");
    expect(await link.request("read-screen", {})).toMatchObject({ ok: false });
    expect(await link.request("send-input", { steps: [] })).toMatchObject({
      ok: false,
      error: expect.stringContaining(texts.itsPlayerSharesOneWith),
    });
    agent.computer.type("clear\nmcp-computer share\n");
    await agent.shows("> mcp-computer share This prompt is shared");
    expect(await text(link)).toContain("This prompt is shared");
    expect(agent.bridge.links.length).toBe(1);
  });

  it("stays with the player when the bridge refuses the link", async () => {
    await using agent = await start();
    const link = await agent.link();
    await agent.shows("shared, linked");
    await agent.prompt();
    link.close(4401, "no");
    await agent.shows("shared, not linked: The bridge refused the token.");
    agent.computer.type("id\n");
    await agent.shows("This is computer #12");
  });

  it("is there after every boot with --autostart --share", async () => {
    await using agent = await startAgent({
      computer: { advanced },
      command: (url) => `mcp-computer ${url} --autostart --share\n`,
    });
    await agent.link();
    await agent.shows("shared, linked");
    agent.computer.reboot();
    await agent.world.advance(3_000);
    const link = await agent.link(2);
    await agent.shows("shared, linked");
    await agent.prompt();
    agent.computer.type("id\n");
    await agent.shows("This is computer #12");
    expect(await text(link)).toContain("This is computer #12");
  });
});
