import type { PlacedComputerOptions } from "@ccbridge/cc-host";
import { expect } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { linkGameComputer, startWorld } from "./helpers.js";

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

export async function game(options: PlacedComputerOptions = {}) {
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
  const lines = async (jobId: string) => {
    const { facts } = await call("read-screen", { jobId });
    return (facts.screen as { lines: string[] }).lines;
  };
  const startBlank = async (command: string, more: object = {}) => {
    const { facts, text } = await call("run-program", {
      computerId: 12,
      command,
      waitMs: 0,
      ...more,
    });
    if (typeof facts?.jobId !== "string") throw new Error(text);
    return facts.jobId;
  };
  const start = async (command: string, more: object = {}) => {
    const jobId = await startBlank(command, more);
    await expect.poll(async () => (await lines(jobId)).join("")).not.toBe("");
    return jobId;
  };
  return { bridge, world, computer, client, call, start, startBlank, lines };
}
