--- The one mcp-computer of this computer: how other programs here find it and talk to it.
--
-- A mark among the globals says that one runs, so that a start without another costs nothing. A program that
-- was killed leaves its mark behind: only an answer proves that it runs.

--- The name of this program's own events, and of its mark.
local EVENT = "mcp-computer"
local MARK = EVENT

local ANSWER, END = 1, 3

local function mark()
  return rawget(_G, MARK)
end

local function is_marked()
  return mark() ~= nil or rawget(_G, "mcp") ~= nil
end

local function ask(what)
  if not is_marked() then return nil end
  local nonce = os.epoch("utc") + math.random()
  os.queueEvent(EVENT, what, nonce)
  local timer = os.startTimer(ANSWER)
  while true do
    local event, a, b, text = os.pullEvent()
    if event == EVENT and a == "answer" and b == nonce then
      os.cancelTimer(timer)
      return text
    elseif event == "timer" and a == timer then
      return nil
    end
  end
end

local function is_inside()
  local found = mark()
  return found ~= nil and found.is_inside()
end

--- Stops the running program and waits until it has ended.
-- @treturn boolean|nil whether it ended; nil when none ran
local function stop()
  if not ask("status") then return nil end
  os.queueEvent(EVENT, "stop")
  for _ = 1, END * 20 do
    sleep(0.05)
    if not is_marked() then return true end
  end
  return ask("status") == nil
end

--- Marks this program as the running one, until the returned function is called.
-- @tparam function is_inside whether the code that runs at the moment is a task of this program
-- @tparam function restore puts back what this program replaced among the globals: the next one
-- calls it, if this one is killed
local function enter(inside, restore)
  local own, before = { is_inside = inside, restore = restore }, mark()
  if type(before) == "table" and before.restore then pcall(before.restore) end
  rawset(_G, MARK, own)
  return function()
    if mark() == own then rawset(_G, MARK, nil) end
  end
end

return { EVENT = EVENT, ask = ask, is_inside = is_inside, stop = stop, enter = enter }
