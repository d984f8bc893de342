import type { KindShows } from "../../../core/kind.js";
import { execLua } from "../core/exec-lua.js";

const WAIT_MS = 10_000;
const TIMEOUT_MS = 15_000;

/** As a Lua string that holds no line of the text: what the game's font cannot show becomes a question mark. */
function luaText(text: string): string {
  const escaped = [...text].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0x20 && code < 0x7f && character !== '"' && character !== "\\") return character;
    return code > 0xff ? "?" : `\\${String(code).padStart(3, "0")}`;
  });
  return `"${escaped.join("")}"`;
}

/** In the top rows, so that what a program shows elsewhere remains. */
const banner = `
local width = screen.getSize()
local isColour = screen.isColour()
local x, y = screen.getCursorPos()
local back, front = screen.getBackgroundColour(), screen.getTextColour()
screen.setBackgroundColour(isColour and colours.orange or colours.white)
screen.setTextColour(colours.black)
local rows, row = {}, ""
for word in text:gmatch("%S+") do
  if row ~= "" and #row + 1 + #word > width then
    rows[#rows + 1] = row
    row = ""
  end
  row = row == "" and word or row .. " " .. word
  while #row > width do
    rows[#rows + 1] = row:sub(1, width)
    row = row:sub(width + 1)
  end
end
rows[#rows + 1] = row
for index = 1, math.min(4, #rows) do
  screen.setCursorPos(1, index)
  screen.clearLine()
  screen.write(rows[index])
end
screen.setBackgroundColour(back)
screen.setTextColour(front)
screen.setCursorPos(x, y)
`;

// Chat boxes answer nil and a reason while they cool down, which takes a second.
const chat = `
local box = peripheral.find("chat_box") or peripheral.find("chatBox")
if not box then error("no chat box is attached", 0) end
for try = 1, 4 do
  local ok, why
  if to == "@a" then ok, why = box.sendMessage(text, "ccbridge")
  else ok, why = box.sendMessageToPlayer(text, to, "ccbridge") end
  if ok ~= nil and ok ~= false then return end
  if try == 4 then error(tostring(why or "the chat box refused"), 0) end
  sleep(0.5)
end
`;

const running = { waitMs: WAIT_MS, timeoutMs: TIMEOUT_MS };

export const showsOnComputers: KindShows = {
  inChat(text, to) {
    const code = `local text, to = ${luaText(text)}, ${luaText(to)}\n${chat}`;
    return { tool: execLua, args: { code, ...running } };
  },
  onScreen(text, monitor) {
    const screen =
      monitor === undefined
        ? "local screen = term.native()"
        : `local name = ${luaText(monitor)}
local screen = peripheral.hasType(name, "monitor") and peripheral.wrap(name)
if not screen then error("no monitor is attached as " .. name, 0) end`;
    const code = `local text = ${luaText(text)}\n${screen}\n${banner}`;
    return { tool: execLua, args: { code, ...running } };
  },
};
