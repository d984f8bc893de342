--- Monotonic time: the computer's clocks may be set.

-- Captured now: a job may replace them.
local epoch, ticks = os.epoch, os.clock

--- The game aborts an event after 8.5 s, so a longer step in milliseconds is a clock jump.
local LONGEST_EVENT = 10000
--- What a clock jump counts for: enough for a task to lose its turn, not enough to stop code.
local JUMP = 1000
--- The shortest time without a tick that is called a pause.
local SHORTEST_PAUSE = 3000

local passed, last = 0, epoch("utc")
local moved_at, moved_to = 0, ticks()

local function advance(longest)
  local time = epoch("utc")
  local step = time - last
  last = time
  if step < 0 or step > longest then step = JUMP end
  passed = passed + step
  return passed
end

--- Milliseconds of real time, within one event.
local function milliseconds()
  return advance(LONGEST_EVENT)
end

local function event_came()
  advance(math.huge)
  if ticks() ~= moved_to then
    moved_at, moved_to = passed, ticks()
  end
  return passed
end

--- For how long game time has not moved, in milliseconds of real time: the world is paused. Short times are
-- 0: several events come in one tick.
local function paused()
  local still = passed - moved_at
  return still >= SHORTEST_PAUSE and still or 0
end

local ahead, latest = 0, ticks()

--- Game time in seconds, as used by timers. It stops while the world is paused.
local function seconds()
  local time = ticks()
  -- On CraftOS-PC os.clock is wall time and may go back.
  if time < latest then ahead = ahead + latest - time end
  latest = time
  return time + ahead
end

return {
  milliseconds = milliseconds,
  event_came = event_came,
  paused = paused,
  seconds = seconds,
}
