--- Ids of recently finished requests, so that none runs twice.

local KEPT = 256

local function new()
  local ids, at = {}, 0
  local known = {}
  local self = {}

  function self.add(id)
    if known[id] then return end
    at = at % KEPT + 1
    if ids[at] then known[ids[at]] = nil end
    ids[at], known[id] = id, true
  end

  function self.has(id)
    return known[id] == true
  end

  return self
end

return { new = new, KEPT = KEPT }
