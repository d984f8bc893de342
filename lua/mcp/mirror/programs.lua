local output = require("mcp.output")
local preempt = require("mcp.preempt")
local terminal_module = require("mcp.mirror.terminal")

local snapshot, trimmed = terminal_module.snapshot, terminal_module.trimmed

local MAX_WIDTH, MAX_HEIGHT = 200, 100
local MAX_INBOX = 8192

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

--- False when the queue is full. In a section: tasks call it, and the queue must not shrink
-- meanwhile.
local function post(inbox, event)
  preempt.begin_section()
  local fits = #inbox < MAX_INBOX
  if fits then inbox[#inbox + 1] = event end
  preempt.end_section()
  return fits
end

local function is_monitor(name)
  for _, kind in ipairs({ peripheral.getType(name) }) do
    if kind == "monitor" then return true end
  end
  return false
end

local function parent_of(params, player_screen)
  if params.monitor == nil then
    if not params.show then return term.native() end
    local screen, problem = player_screen.lend()
    if screen and multishell then multishell.setFocus(multishell.getCurrent()) end
    return screen, problem
  end
  if params.show then return nil, "it can be shown on a monitor or on the screen, not on both" end
  if type(params.monitor) ~= "string" then
    return nil, "monitor must be the name of a peripheral"
  end
  if not is_monitor(params.monitor) then
    return nil, "there is no monitor named " .. string.sub(params.monitor, 1, 64) .. " here"
  end
  return peripheral.wrap(params.monitor)
end

--- Monitors of other mods may report anything as their size.
local function size_of(params, parent)
  local ok, width, height = pcall(parent.getSize)
  if not ok then
    width, height = nil, nil
  end
  if not params.show then
    width, height = params.width or width, params.height or height
  end
  local function fits(value, most)
    return type(value) == "number" and value >= 1 and value <= most and value % 1 == 0
  end
  if fits(width, MAX_WIDTH) and fits(height, MAX_HEIGHT) then return width, height end
  local function shown(value)
    return type(value) == "number" and string.format("%g", value) or type(value)
  end
  return nil,
    string.format(
      "the size must be whole numbers, at most %d wide and %d high, "
        .. "but it is %s by %s: pass width and height",
      MAX_WIDTH,
      MAX_HEIGHT,
      shown(width),
      shown(height)
    )
end

local function new(player_screen)
  local programs, order = {}, {}
  local shown
  local self = {}

  function self.open(params, id)
    local parent, problem = parent_of(params, player_screen)
    if not parent then return nil, problem end
    local width, height = size_of(params, parent)
    if not width then return nil, height end
    local visible = params.monitor ~= nil or params.show == true
    local window = window.create(parent, 1, 1, width, height, visible)
    local buffer = output.new_buffer()
    local terminal = terminal_module.terminal_of(window, buffer)
    if visible then
      window.clear()
    else
      terminal_module.reset_palette(window)
    end
    local program = {
      id = id,
      window = window,
      buffer = buffer,
      term = terminal,
      inbox = {},
      monitor = params.monitor,
    }

    -- The shell only prints why a program failed.
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

    function program.post(event)
      return post(program.inbox, event)
    end

    function program.snapshot(colours)
      return snapshot(window, colours)
    end

    function program.describe(result)
      result.screen = program.snapshot(true)
    end

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

  function self.find(id)
    return programs[id]
  end

  function self.newest()
    return order[1] and programs[order[#order]]
  end

  function self.shown()
    return shown
  end

  return self
end

return { new = new, post = post, MAX_INBOX = MAX_INBOX }
