--- What monitors show, drawn again in hidden windows.

local raw = require("mcp.raw")
local terminal_module = require("mcp.mirror.terminal")

local MAX_MONITORS = 32

--- @tparam function call the game's `peripheral.call`
-- @tparam string prefix what the ids begin with
-- @tparam number|nil since when the recording began, in milliseconds; nil if it has not
-- @tparam string|nil began the same for people
local function new(call, prefix, since, began)
  local records, count = {}, 0
  local self = {}

  local function ask(name, method, ...)
    local results = table.pack(raw.pcall(call, name, method, ...))
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
    return { id = prefix .. name, name = name, window = window, since = since, complete = false }
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

  function self.draw(name, method, ...)
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
    local name = string.sub(id, #prefix + 1)
    if not is_monitor(name) then
      local names = {}
      for _, each in ipairs(peripheral.getNames()) do
        if is_monitor(each) then names[#names + 1] = each end
      end
      local attached = #names == 0 and "no monitor is attached"
        or "the monitors are " .. table.concat(names, ", ")
      return nil, "there is no monitor named " .. string.sub(name, 1, 64) .. " here: " .. attached
    end
    if not began then
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

return { new = new }
