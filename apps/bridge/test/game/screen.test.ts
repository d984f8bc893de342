import type { PlacedComputerOptions } from "@ccbridge/cc-host";
import { describe, expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { linkGameComputer, startWorld } from "./helpers.js";

/** A little editor: a box, a line of text, a click counter; ctrl+s saves, ctrl+q leaves. */
const editor = `
local path = ...
local text, held, clicks = "", false, 0
local function draw()
  term.setBackgroundColour(colours.blue)
  term.setTextColour(colours.yellow)
  term.clear()
  term.setCursorPos(1, 1)
  term.write("+" .. ("-"):rep(18) .. "+ " .. path)
  term.setCursorPos(1, 2)
  term.write("|" .. text .. (" "):rep(18 - #text) .. "|")
  term.setCursorPos(1, 3)
  term.write("+" .. ("-"):rep(18) .. "+ clicks " .. clicks)
  term.setCursorPos(2 + #text, 2)
  term.setCursorBlink(true)
end
draw()
while true do
  local event, a, x, y = os.pullEvent()
  if event == "char" then text = text .. a
  elseif event == "key" and a == keys.backspace then text = text:sub(1, -2)
  elseif event == "key" and a == keys.leftCtrl then held = true
  elseif event == "key_up" and a == keys.leftCtrl then held = false
  elseif event == "key" and held and a == keys.s then
    local file = fs.open(path, "w")
    file.write(text)
    file.close()
  elseif event == "key" and held and a == keys.q then
    term.setBackgroundColour(colours.black)
    term.clear()
    term.setCursorPos(1, 1)
    print("bye")
    return
  elseif event == "mouse_click" then clicks = clicks + 1
  elseif event == "greet" then text = "hello " .. tostring(a)
  end
  draw()
end
`;

async function game(options: PlacedComputerOptions = {}) {
  const bridge = await startTestBridge();
  const world = await startWorld();
  const computer = await linkGameComputer(bridge, world, {
    advanced: true,
    ...options,
    files: { "/notes.lua": editor, ...options.files },
  });
  const client = await connectClient(bridge.mcpUrl);
  const call = async (name: string, args: Record<string, unknown>) => {
    const result = await callTool(client, name, args);
    return { ...result, facts: result.structuredContent as Record<string, unknown> };
  };
  /** Starts a program that will not end by itself. */
  const start = async (command: string, more: object = {}) => {
    const { facts, text } = await call("run-program", {
      computerId: 12,
      command,
      waitMs: 200,
      ...more,
    });
    if (typeof facts?.jobId !== "string") throw new Error(text);
    return facts.jobId;
  };
  const lines = async (jobId: string) => {
    const { facts } = await call("read-screen", { jobId });
    return (facts.screen as { lines: string[] }).lines;
  };
  return { bridge, world, computer, client, call, start, lines };
}

describe("a program in a mirrored terminal", () => {
  it("is started, typed into, looked at, and saves what was typed", async () => {
    const { computer, call, start, lines } = await game();
    const jobId = await start("notes /notes.txt");
    expect((await lines(jobId)).slice(0, 3)).toEqual([
      "+------------------+ /notes.txt",
      "|                  |",
      "+------------------+ clicks 0",
    ]);
    const typed = await call("type-text", { jobId, text: "diamonds" });
    expect(typed.text).toContain("2||diamonds          |");
    expect(typed.facts).toMatchObject({ sent: 8, waiting: 0, ended: false });
    await call("press-keys", { jobId, keys: ["backspace", "s"] });
    expect(computer.fs.exists("/notes.txt")).toBe(false);
    await call("press-keys", { jobId, keys: ["ctrl+s"] });
    expect(computer.fs.read("/notes.txt")).toBe("diamonds");
    // Ctrl was let go again, so this writes.
    expect((await call("press-keys", { jobId, keys: ["shift+s"] })).text).toContain("|diamondsS ");
    const left = await call("press-keys", { jobId, keys: ["ctrl+q"] });
    expect(left.facts).toMatchObject({ ended: true });
    expect(left.text).toContain("The program has ended");
    expect((await call("get-job", { jobId })).text).toBe(
      "Ran on 12 (Label: base-turtle).\nOutput:\nbye",
    );
  });
});
