--- Windows as terminals that can be read: what is on them, and what scrolled away.
--
-- The game cannot read a screen back. So a program gets its own window, which remembers what was drawn.

local base64 = require("mcp.base64")
local json = require("mcp.json")

--- What a program may do with its terminal. It does not get the rest of a window: `setVisible(true)` would
-- draw a hidden one on the player's screen.
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

--- Puts text in the game's charset into a table: as it is, or as base64 if it is not plain ASCII.
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

--- The sixteen colours of a window as `rrggbb`.
local function palette(window)
  local list = json.array()
  for index = 0, 15 do
    local r, g, b = window.getPaletteColour(2 ^ index)
    list[index + 1] = string.format("%02x%02x%02x", byte(r), byte(g), byte(b))
  end
  return list
end

--- What a window shows, as docs/protocol.md says.
-- @tparam table window anything with `getLine`
-- @tparam boolean colours whether colours are wanted too
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

--- Gives a hidden window the game's default colours, whatever the player's screen has now.
local function reset_palette(window)
  if not term.nativePaletteColour then return end
  for index = 0, 15 do
    window.setPaletteColour(2 ^ index, term.nativePaletteColour(2 ^ index))
  end
end

-- The game's own functions: those that a task sees can be preempted.
local raw_create, raw_resume, raw_yield = coroutine.create, coroutine.resume, coroutine.yield
local raw_pcall = pcall

--- Makes a function that scrolls and puts the lines that scroll away into the output, in one step: it runs in
-- its own coroutine, which no hook interrupts. Otherwise a line would be both on the screen and in the output
-- for a moment, and for good if the program is stopped there.
local function scroller(window, buffer)
  local co = raw_create(function(count)
    while true do
      local ok, problem = raw_pcall(function()
        if type(count) == "number" and count >= 1 then
          local _, height = window.getSize()
          for row = 1, math.min(count, height) do
            buffer.append(trimmed((window.getLine(row))) .. "\n")
          end
        end
        window.scroll(count)
      end)
      count = raw_yield(ok, problem)
    end
  end)
  return function(count)
    local _, ok, problem = raw_resume(co, count)
    if not ok then error(problem, 0) end
  end
end

--- The terminal that the program sees. Lines that scroll away go to the output.
local function terminal_of(window, buffer)
  local scroll = scroller(window, buffer)
  local terminal = {}
  for _, name in ipairs(TERM_METHODS) do
    terminal[name] = window[name]
  end
  function terminal.scroll(count)
    scroll(count)
    -- Here it may wait, if it prints faster than the link can send.
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
