--- The player's prompt as a readable terminal: a shell inside this program. While it is shared, the
-- first row says so and who typed last. Otherwise the prompt has the whole screen, and only the
-- player sees it.

local brief = require("mcp.brief")
local clock = require("mcp.clock")
local output = require("mcp.output")
local programs = require("mcp.mirror.programs")
local terminal_module = require("mcp.mirror.terminal")

--- After three shells in a row that end sooner than this, the outer shell is restored.
local QUICK_SECONDS = 1
local MAX_QUICK = 3

--- What the bar says, as far as it fits: from the widest screen to the narrowest.
local HINTS =
  { "; mcp-computer unshare ends it", "; mcp-computer unshare", "; unshare ends it", "" }

local RECALLS = { [keys.up] = true, [keys.down] = true, [keys.tab] = true, [keys.right] = true }
local RECALLED, MAX_CLEARED = 100, 500
local MAX_COMMAND = 80

local function new(scheduler, on_over)
  local parent, window, program
  local shared = false
  local state, driver = "", nil
  --- How many lines are being read, and at most how much of the last one is the player's.
  local reading, typed = 0, 0
  --- The history of the shell's prompt, and what runs since the player entered it there.
  local prompt_history, command
  local self = {}

  local function draw_bar()
    if not program or not shared then return end
    local width = parent.getSize()
    local text = "shared, " .. state .. (driver and ", driven by " .. driver or "")
    if driver and #text > width then text = "shared, driven by " .. driver end
    for _, hint in ipairs(HINTS) do
      if #text + #hint <= width then
        text = text .. hint
        break
      end
    end
    local x, y = parent.getCursorPos()
    local fore, back = parent.getTextColour(), parent.getBackgroundColour()
    parent.setCursorPos(1, 1)
    parent.setTextColour(colours.black)
    parent.setBackgroundColour(colours.lightGrey or colours.white)
    parent.write(string.sub(text .. string.rep(" ", width), 1, width))
    parent.setTextColour(fore)
    parent.setBackgroundColour(back)
    parent.setCursorPos(x, y)
    window.restoreCursor()
  end

  local function place()
    local width, height = parent.getSize()
    if shared then
      window.reposition(1, 2, width, math.max(1, height - 1))
    else
      window.reposition(1, 1, width, height)
    end
    window.redraw()
    draw_bar()
  end

  local function run_shells()
    local quick = 0
    repeat
      local began = clock.seconds()
      prompt_history, command = nil, nil
      pcall(shell.run, "shell")
      quick = clock.seconds() - began < QUICK_SECONDS and quick + 1 or 0
    until quick >= MAX_QUICK or not shared
  end

  local raw_read = read
  local function counted_read(...)
    local outer, history = typed, select(2, ...)
    -- The shell's own prompt is the first that is shown, and keeps one history.
    if reading == 0 and not prompt_history then prompt_history = history end
    local is_prompt = history ~= nil and history == prompt_history
    if is_prompt then command = nil end
    reading, typed = reading + 1, 0
    local result = table.pack(pcall(raw_read, ...))
    reading, typed = reading - 1, outer
    if not result[1] then error(result[2], 0) end
    if is_prompt and string.find(tostring(result[2]), "%S") then
      command = brief.one_line(string.sub(tostring(result[2]), 1, MAX_COMMAND))
    end
    return table.unpack(result, 2, result.n)
  end

  local function note(name, value)
    if reading == 0 then return end
    if name == "char" then
      typed = typed + 1
    elseif name == "paste" then
      typed = typed + #tostring(value)
    elseif name == "key" and RECALLS[value] then
      typed = typed + RECALLED
    end
  end

  local function accepts(event)
    local name = event[1]
    note(name, event[2])
    if name == "term_resize" then
      place()
    elseif shared and string.find(name, "^mouse_") and type(event[4]) == "number" then
      if event[4] > 1 then program.post(table.pack(name, event[2], event[3], event[4] - 1)) end
      return false
    end
    return true
  end

  function self.start()
    parent = term.current()
    local width, height = parent.getSize()
    shared = true
    window = _G.window.create(parent, 1, 2, width, math.max(1, height - 1), true)
    local buffer = output.new_buffer()
    local terminal = terminal_module.terminal_of(window, buffer)
    program = { window = window, buffer = buffer, term = terminal, inbox = {} }
    function program.post(event)
      return programs.post(program.inbox, event)
    end
    function program.snapshot(with_colours)
      return terminal_module.snapshot(window, with_colours)
    end
    parent.clear()
    window.clear()
    window.setCursorPos(1, 1)
    draw_bar()
    scheduler.spawn({
      run = function()
        print("This prompt is shared: mcp-computer unshare ends that.")
        run_shells()
      end,
      term = terminal,
      inbox = program.inbox,
      accepts = accepts,
      patches = {
        {
          term,
          "native",
          function()
            return terminal
          end,
        },
        { _G, "read", counted_read },
      },
      on_done = function()
        program.ended = true
        program = nil
        on_over()
      end,
    })
  end

  function self.close()
    if not parent then return false end
    parent.setTextColour(colours.white)
    parent.setBackgroundColour(colours.black)
    parent.clear()
    parent.setCursorPos(1, 1)
    parent.setCursorBlink(true)
    return true
  end

  function self.program()
    return program
  end

  function self.shared()
    return shared and program or nil
  end

  function self.share(on)
    if not program then return false end
    if shared ~= on then
      shared, driver = on, nil
      place()
      program.post(table.pack("term_resize"))
    end
    return true
  end

  function self.command()
    return program and command
  end

  --- Clears what the player has typed into a line and not entered: a client's input must not be added to it.
  -- @treturn boolean whether there was something
  function self.clear_line()
    if reading == 0 or typed == 0 then return false end
    program.post(table.pack("key", keys["end"], false))
    for _ = 1, math.min(typed, MAX_CLEARED) do
      program.post(table.pack("key", keys.backspace, false))
    end
    typed = 0
    return true
  end

  function self.driven(by)
    driver = brief.one_line(type(by) == "string" and by ~= "" and by or "the bridge")
    draw_bar()
  end

  function self.status(text)
    state = text
    draw_bar()
  end

  return self
end

return { new = new }
