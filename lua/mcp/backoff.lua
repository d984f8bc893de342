--- Pauses between connection attempts: growing, jittered, between 1 and 30 seconds.

local MIN, MAX = 1, 30
--- Slow growth: a bridge that was gone for a while is found again within half of that time.
local GROWTH = 1.5

local function new(random)
  random = random or math.random
  local tries = 0
  local backoff = {}

  --- The next pause in seconds. Half of it is chance, so that fifty computers do not dial at once.
  function backoff.next()
    local longest = math.min(MAX, 2 * MIN * GROWTH ^ tries)
    tries = math.min(tries + 1, 10)
    return longest * (0.5 + random() * 0.5)
  end

  --- Goes on at the longest pause: the other side asked for patience.
  function backoff.slow()
    tries = 10
  end

  --- Starts over, after a link.
  function backoff.reset()
    tries = 0
  end

  return backoff
end

return { new = new, MIN = MIN, MAX = MAX }
