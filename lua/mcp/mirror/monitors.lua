--- What programs of this computer draw on its monitors. The game cannot read a monitor back, so
-- whatever passes through `peripheral.call` is drawn into a hidden window as well.

local brief = require("mcp.brief")
local preempt = require("mcp.preempt")
local terminal_module = require("mcp.mirror.terminal")

-- Captured originals: those that a task sees can be pre-empted.
local raw_pcall = pcall

local MAX_MONITORS = 32
local PREFIX = "monitor:"

local DRAWS = {}
for name in
  string.gmatch(
    "write blit clear clearLine scroll setCursorPos setCursorBlink setTextScale "
      .. "setTextColour setTextColor setBackgroundColour setBackgroundColor "
      .. "setPaletteColour setPaletteColor",
    "%S+"
  )
do
  DRAWS[name] = true
end

local function new()
  local raw, recording
  local records, count, began, since = {}, 0, nil, nil
  local self = {}

  local function ask(name, method, ...)
    local results = table.pack(raw_pcall(raw, name, method, ...))
    if results[1] then return table.unpack(results, 2, results.n) end
  end

  local function is_monitor(name)
    for _, kind in ipairs({ peripheral.getType(name) }) do
      if kind == "monitor" then return true end
    end
    return false
  end

  --- Continues from what can be asked: everything but the characters.
  local function record_of(name)
    if count >= MAX_MONITORS or not is_monitor(name) then return false end
    local width, height = ask(name, "getSize")
    if type(width) ~= "number" or type(height) ~= "number" then return false end
    local is_colour = ask(name, "isColour") == true
    local parent = {
      isColour = function()
        return is_colour
      end,
      getPaletteColour = function(colour)
        return ask(name, "getPaletteColour", colour)
      end,
    }
    parent.isColor, parent.getPaletteColor = parent.isColour, parent.getPaletteColour
    local window = window.create(parent, 1, 1, width, height, false)
    window.setCursorPos(ask(name, "getCursorPos"))
    window.setTextColour(ask(name, "getTextColour") or colours.white)
    window.setBackgroundColour(ask(name, "getBackgroundColour") or colours.black)
    window.setCursorBlink(ask(name, "getCursorBlink") == true)
    count = count + 1
    return { id = PREFIX .. name, name = name, window = window, since = since, complete = false }
  end

  local function fit(record)
    record.resized = nil
    local width, height = ask(record.name, "getSize")
    local had_width, had_height = record.window.getSize()
    local is_size = type(width) == "number" and type(height) == "number"
    if is_size and (width ~= had_width or height ~= had_height) then
      record.window.reposition(1, 1, width, height)
    end
  end

  local function draw(name, method, ...)
    local record = records[name]
    if record == nil then
      record = record_of(name)
      records[name] = record
    end
    if not record then return end
    if record.resized then fit(record) end
    record.drawn = true
    if method == "setTextScale" then
      record.resized = true
    else
      record.window[method](...)
      record.complete = record.complete or method == "clear"
    end
  end

  --- Before the game draws, so that its results and errors reach the caller unchanged.
  local function call(name, method, ...)
    if recording and DRAWS[method] then
      preempt.begin_section()
      local ok, problem = raw_pcall(draw, name, method, ...)
      preempt.end_section()
      -- What is wrong with the arguments the game says itself; its time limit is for the caller.
      if not ok and string.find(tostring(problem), "Too long without", 1, true) then
        error(problem, 0)
      end
    end
    return raw(name, method, ...)
  end

  function self.start()
    raw, recording, began = peripheral.call, true, brief.time()
    since = os.epoch("utc")
    peripheral.call = call
  end

  --- A program may have replaced the function meanwhile: then it only passes on.
  function self.stop()
    if not recording then return end
    recording = false
    if peripheral.call == call then peripheral.call = raw end
  end

  function self.event(event)
    local name, subject = event[1], event[2]
    local record = subject ~= nil and records[subject]
    if name == "monitor_resize" then
      if record then record.resized = true end
    elseif name == "peripheral_detach" or name == "peripheral" then
      if record then
        record.ended, count = true, count - 1
      end
      if subject ~= nil then records[subject] = nil end
    end
  end

  --- The record of a monitor, as a program has its screen.
  -- @tparam string id as in `job` of read-screen: `monitor:<name>`
  function self.find(id)
    local name = string.sub(id, #PREFIX + 1)
    if not is_monitor(name) then
      local names = {}
      for _, each in ipairs(peripheral.getNames()) do
        if is_monitor(each) then names[#names + 1] = each end
      end
      local attached = #names == 0 and "no monitor is attached"
        or "the monitors are " .. table.concat(names, ", ")
      return nil, "there is no monitor named " .. string.sub(name, 1, 64) .. " here: " .. attached
    end
    if not recording then
      return nil,
        "what is drawn on monitors is not recorded on this computer. Its player switches that on with: "
          .. "set mcp_computer.monitors true, then starts mcp-computer again"
    end
    local record = records[name]
    if not record then
      return nil,
        "no program of this computer has drawn on "
          .. name
          .. " since "
          .. began
          .. ", when mcp-computer started. What was drawn before, or by another computer, is not known"
    end
    if record.resized then fit(record) end
    function record.snapshot(colours)
      return terminal_module.snapshot(record.window, colours)
    end
    return record
  end

  return self
end

local function is_id(id)
  return type(id) == "string" and string.sub(id, 1, #PREFIX) == PREFIX
end

return { new = new, is_id = is_id }
