--- Readable terminals: the game cannot read a screen back, so a program gets its own window, which
-- keeps what was drawn, and what scrolls away goes to the output.

local base64 = require("mcp.base64")
local json = require("mcp.json")
local raw = require("mcp.raw")

--- Only these methods of a window are exposed: `setVisible(true)` would draw a hidden one on the
-- player's screen.
local TERM_METHODS = {
  "write",
  "blit",
  "clear",
  "clearLine",
  "getCursorPos",
  "setCursorPos",
  "getCursorBlink",
  "setCursorBlink",
  "getSize",
  "isColour",
  "isColor",
  "setTextColour",
  "setTextColor",
  "getTextColour",
  "getTextColor",
  "setBackgroundColour",
  "setBackgroundColor",
  "getBackgroundColour",
  "getBackgroundColor",
  "setPaletteColour",
  "setPaletteColor",
  "getPaletteColour",
  "getPaletteColor",
  "getLine",
}

local function trimmed(line)
  return (string.gsub(line, "%s+$", ""))
end

local function put_bytes(owner, text)
  if string.find(text, "[^\32-\126]") then
    owner.text, owner.encoding = base64.encode(text), "base64"
  else
    owner.text = text
  end
end

local function byte(part)
  return math.floor(math.max(0, math.min(1, part)) * 255 + 0.5)
end

local function palette(window)
  local list = json.array()
  for index = 0, 15 do
    local r, g, b = window.getPaletteColour(2 ^ index)
    list[index + 1] = string.format("%02x%02x%02x", byte(r), byte(g), byte(b))
  end
  return list
end

--- In the format of docs/protocol.md.
-- @tparam table window anything with `getLine`
local function snapshot(window, colours)
  local width, height = window.getSize()
  local x, y = window.getCursorPos()
  local texts, fores, backs = {}, {}, {}
  for row = 1, height do
    texts[row], fores[row], backs[row] = window.getLine(row)
  end
  local screen = {
    width = width,
    height = height,
    cursor = { x = x, y = y, blink = window.getCursorBlink and window.getCursorBlink() or false },
    colour = window.isColour(),
  }
  put_bytes(screen, table.concat(texts))
  if colours then
    screen.foreground, screen.background = table.concat(fores), table.concat(backs)
    screen.palette = palette(window)
  end
  return screen
end

--- The game's default colours, independent of the player's screen.
local function reset_palette(window)
  if not term.nativePaletteColour then return end
  for index = 0, 15 do
    window.setPaletteColour(2 ^ index, term.nativePaletteColour(2 ^ index))
  end
end

--- Scrolls and appends the lines to the output atomically, in a separate coroutine that no hook
-- interrupts. Otherwise a line could be both on the screen and in the output if the program is
-- stopped in between.
local function scroller(window, buffer)
  local co = raw.create(function(count)
    while true do
      local ok, problem = raw.pcall(function()
        if type(count) == "number" and count >= 1 then
          local _, height = window.getSize()
          for row = 1, math.min(count, height) do
            buffer.append(trimmed((window.getLine(row))) .. "\n")
          end
        end
        window.scroll(count)
      end)
      count = raw.yield(ok, problem)
    end
  end)
  return function(count)
    local _, ok, problem = raw.resume(co, count)
    if not ok then error(problem, 0) end
  end
end

local function terminal_of(window, buffer)
  local scroll = scroller(window, buffer)
  local terminal = {}
  for _, name in ipairs(TERM_METHODS) do
    terminal[name] = window[name]
  end
  function terminal.scroll(count)
    scroll(count)
    if buffer.on_append then buffer.on_append() end
  end
  return terminal
end

return {
  trimmed = trimmed,
  put_bytes = put_bytes,
  palette = palette,
  snapshot = snapshot,
  reset_palette = reset_palette,
  terminal_of = terminal_of,
}
