--- Time for differences: it never goes back, and does not jump, although the computer's clocks may be set.

-- Taken now: a job may put others in their place.
local epoch, ticks = os.epoch, os.clock

--- The game ends an event after 8.5 s: what takes longer than this, in milliseconds, did not take it.
local LONGEST_EVENT = 10000
--- What a step counts for that the wall clock cannot have made by itself: enough for a task to lose its turn,
-- and not enough for code to be stopped.
local JUMP = 1000
--- The shortest time without a tick that is called a pause.
local SHORTEST_PAUSE = 3000

local passed, last = 0, epoch("utc")
--- When game time was last seen to move, and where it was.
local moved_at, moved_to = 0, ticks()

local function advance(longest)
  local time = epoch("utc")
  local step = time - last
  last = time
  if step < 0 or step > longest then step = JUMP end
  passed = passed + step
  return passed
end

--- Real time in milliseconds, while an event is handled.
local function milliseconds()
  return advance(LONGEST_EVENT)
end

--- The same when an event came: any time may have passed without one.
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

--- The game's time in seconds, in which timers count. It stops while the world is paused.
local function seconds()
  local time = ticks()
  -- Ticks only go forward, but CraftOS-PC has the wall clock here.
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
