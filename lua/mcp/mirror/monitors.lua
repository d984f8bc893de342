--- What programs of this computer draw on its monitors. The game cannot read a monitor back, so
-- whatever passes through `peripheral.call` is recorded.

local brief = require("mcp.brief")
local preempt = require("mcp.preempt")
local raw = require("mcp.raw")

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
  local raw_call, recording, began, since, recorder
  local self = {}

  --- Loaded when something is drawn.
  local function records()
    recorder = recorder or require("mcp.mirror.recorder").new(raw_call, PREFIX, since, began)
    return recorder
  end

  --- Before the game draws, so that its results and errors reach the caller unchanged.
  local function call(name, method, ...)
    if recording and DRAWS[method] then
      local draw = records().draw
      preempt.begin_section()
      local ok, problem = raw.pcall(draw, name, method, ...)
      preempt.end_section()
      -- What is wrong with the arguments the game says itself; its time limit is for the caller.
      if not ok and string.find(tostring(problem), "Too long without", 1, true) then
        error(problem, 0)
      end
    end
    return raw_call(name, method, ...)
  end

  function self.start()
    raw_call, recording, began = peripheral.call, true, brief.time()
    since = os.epoch("utc")
    peripheral.call = call
  end

  --- A program may have replaced the function meanwhile: then it only passes on.
  function self.stop()
    if not recording then return end
    recording = false
    if peripheral.call == call then peripheral.call = raw_call end
  end

  function self.event(event)
    if recorder then recorder.event(event) end
  end

  function self.find(id)
    return records().find(id)
  end

  return self
end

local function is_id(id)
  return type(id) == "string" and string.sub(id, 1, #PREFIX) == PREFIX
end

return { new = new, is_id = is_id }
