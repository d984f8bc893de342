local MIN, MAX = 1, 30
--- Slow growth: a bridge that returns is found within half the time it was gone.
local GROWTH = 1.5

local function new(random)
  random = random or math.random
  local tries = 0
  local backoff = {}

  --- Half of the pause is random, so that fifty computers do not dial at once.
  function backoff.next()
    local longest = math.min(MAX, 2 * MIN * GROWTH ^ tries)
    tries = math.min(tries + 1, 10)
    return longest * (0.5 + random() * 0.5)
  end

  function backoff.slow()
    tries = 10
  end

  function backoff.reset()
    tries = 0
  end

  return backoff
end

return { new = new, MIN = MIN, MAX = MAX }
