--- Terminals that can be read: the programs that run in them, and what they show.
--
-- Nothing in the game reads a screen. So a program gets a window of its own, which remembers what was
-- drawn; only a shown one is passed on, to a monitor or to the player's screen.

local base64 = require("mcp.base64")
local json = require("mcp.json")
local output = require("mcp.output")

local MAX_WIDTH, MAX_HEIGHT = 200, 100
--- Events that may wait for a program that is busy.
local MAX_INBOX = 8192

--- What comes from the player's hands, and so belongs to the program on the player's screen.
local INPUT = {
  key = true,
  key_up = true,
  char = true,
  paste = true,
  mouse_click = true,
  mouse_up = true,
  mouse_drag = true,
  mouse_scroll = true,
  mouse_move = true,
  file_transfer = true,
  term_resize = true,
}

--- What a program may do with its terminal. The rest of a window is not for it: `setVisible(true)`
-- would draw an unseen one on the player's screen.
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

--- Running programs by the id of their job, and the ids in the order of their start.
local programs, order = {}, {}
--- The program on the player's screen, and who lends that screen.
local shown, player_screen

local function trimmed(line)
  return (string.gsub(line, "%s+$", ""))
end

--- Puts text of the game's charset into a table: as it is, or as base64 when it is not plain ASCII.
local function put_bytes(owner, text)
  if string.find(text, "[^\32-\126]") then
    owner.text, owner.encoding = base64.encode(text), "base64"
  else
    owner.text = text
  end
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
    screen.palette = json.array()
    for index = 0, 15 do
      local r, g, b = window.getPaletteColour(2 ^ index)
      local function byte(part)
        return math.floor(math.max(0, math.min(1, part)) * 255 + 0.5)
      end
      screen.palette[index + 1] = string.format("%02x%02x%02x", byte(r), byte(g), byte(b))
    end
  end
  return screen
end

local function is_monitor(name)
  for _, kind in ipairs({ peripheral.getType(name) }) do
    if kind == "monitor" then return true end
  end
  return false
end

--- Where a program's window is drawn.
local function parent_of(params)
  if params.monitor == nil then
    if not params.show then return term.native() end
    if not player_screen then return nil, "this agent has no screen to show it on" end
    return player_screen.lend()
  end
  if params.show then return nil, "it can be on a monitor or on the screen, not on both" end
  if type(params.monitor) ~= "string" then return nil, "monitor must be a peripheral's name" end
  if not is_monitor(params.monitor) then
    return nil, "there is no monitor named " .. string.sub(params.monitor, 1, 64) .. " here"
  end
  return peripheral.wrap(params.monitor)
end

local function size_of(params, parent)
  local width, height = parent.getSize()
  if not params.monitor and not params.show then
    width, height = params.width or width, params.height or height
  end
  local function fits(value, most)
    return type(value) == "number" and value >= 1 and value <= most and value % 1 == 0
  end
  if fits(width, MAX_WIDTH) and fits(height, MAX_HEIGHT) then return width, height end
  return nil,
    string.format("the size must be whole, at most %d wide and %d high", MAX_WIDTH, MAX_HEIGHT)
end

--- Gives an unseen window the game's own colours, whatever those of the player's screen are by now.
local function reset_palette(window)
  if not term.nativePaletteColour then return end
  for index = 0, 15 do
    window.setPaletteColour(2 ^ index, term.nativePaletteColour(2 ^ index))
  end
end

--- The terminal that the program sees. Lines that scroll away go to the output.
local function terminal_of(window, buffer)
  local terminal = {}
  for _, name in ipairs(TERM_METHODS) do
    terminal[name] = window[name]
  end
  function terminal.scroll(count)
    if type(count) == "number" and count >= 1 then
      local _, height = window.getSize()
      for row = 1, math.min(count, height) do
        buffer.append(trimmed((window.getLine(row))) .. "\n")
      end
    end
    return window.scroll(count)
  end
  return terminal
end

--- Makes the terminal of a job that runs a program.
-- @tparam table params `width`, `height`, `monitor`, `show`
-- @tparam string id the job's
-- @treturn[1] table what mcp.jobs takes as the capture of a job, and `inbox`, `snapshot`
-- @treturn[2] nil
-- @treturn[2] string why not
local function open(params, id)
  local parent, problem = parent_of(params)
  if not parent then return nil, problem end
  local width, height = size_of(params, parent)
  if not width then return nil, height end
  local visible = params.monitor ~= nil or params.show == true
  local window = window.create(parent, 1, 1, width, height, visible)
  local buffer = output.new_buffer()
  local terminal = terminal_of(window, buffer)
  if visible then
    window.clear()
  else
    reset_palette(window)
  end
  local program =
    { id = id, buffer = buffer, term = terminal, inbox = {}, monitor = params.monitor }

  -- The shell prints why a program failed, and tells nobody else.
  local print_error = printError
  local function note_error(...)
    local parts = table.pack(...)
    for index = 1, parts.n do
      parts[index] = tostring(parts[index])
    end
    program.last_error = table.concat(parts, "\t")
    return print_error(...)
  end
  program.patches = {
    {
      term,
      "native",
      function()
        return terminal
      end,
    },
    {
      _G,
      "printError",
      note_error,
    },
  }

  --- Which of the computer's events are the program's.
  function program.accepts(event)
    local name = event[1]
    if name == "monitor_touch" and event[2] == params.monitor then
      program.post(table.pack("mouse_click", 1, event[3], event[4]))
      program.post(table.pack("mouse_up", 1, event[3], event[4]))
    end
    if not params.show then return not INPUT[name] end
    if name == "term_resize" then window.reposition(1, 1, parent.getSize()) end
    return true
  end

  --- Puts an event into the program's queue; false when that is full.
  function program.post(event)
    if #program.inbox >= MAX_INBOX then return false end
    program.inbox[#program.inbox + 1] = event
    return true
  end

  function program.snapshot(colours)
    return snapshot(window, colours)
  end

  --- Adds to the job's result what only a program has.
  function program.describe(result)
    result.screen = program.snapshot(true)
  end

  --- The program is over: what is left on its screen is the end of its output.
  function program.close()
    if program.ended then return end
    program.ended = true
    programs[id] = nil
    for index = #order, 1, -1 do
      if order[index] == id then table.remove(order, index) end
    end
    local _, last = window.getSize()
    local lines = {}
    for row = 1, last do
      lines[row] = trimmed((window.getLine(row)))
    end
    while last > 0 and lines[last] == "" do
      last = last - 1
    end
    if last > 0 then buffer.append(table.concat(lines, "\n", 1, last) .. "\n") end
    if shown == program then
      shown = nil
      player_screen.take_back()
    end
  end

  programs[id], order[#order + 1] = program, id
  if params.show then shown = program end
  return program
end

--- A running program, by its job's id.
local function find(id)
  return programs[id]
end

--- The program that was started last, if any runs.
local function newest()
  return order[1] and programs[order[#order]]
end

--- Says whose screen `show` uses: a table with `lend` and `take_back` (see mcp.screen).
local function attach(screen)
  player_screen = screen
end

return {
  attach = attach,
  open = open,
  find = find,
  newest = newest,
  snapshot = snapshot,
  shown = function()
    return shown
  end,
  MAX_INBOX = MAX_INBOX,
}
