--- Shortest path around known obstacles; unknown blocks count as free. Each move either gets closer
-- or lengthens the path by two, so two stacks, for this length and the next, suffice, and an
-- unobstructed path needs no search.

local MAX_LOOKED_AT = 8000

--- Least preferred first: down may lead into a hole, up is mostly free.
local MOVES = {
  { "down", 0, -1, 0 },
  { "west", -1, 0, 0 },
  { "south", 0, 0, 1 },
  { "east", 1, 0, 0 },
  { "north", 0, 0, -1 },
  { "up", 0, 1, 0 },
}

local function key(x, y, z)
  return x .. "," .. y .. "," .. z
end

local function distance(from, to)
  return math.abs(from.x - to.x) + math.abs(from.y - to.y) + math.abs(from.z - to.z)
end

local function neighbours(node)
  local list, straight = {}, nil
  for _, move in ipairs(MOVES) do
    local next_node = {
      x = node.x + move[2],
      y = node.y + move[3],
      z = node.z + move[4],
      direction = move[1],
      before = node,
    }
    if move[1] == node.direction then
      straight = next_node
    else
      list[#list + 1] = next_node
    end
  end
  list[#list + 1] = straight
  return list
end

local function directions(node)
  local reversed = {}
  while node.before do
    reversed[#reversed + 1] = node.direction
    node = node.before
  end
  local list = {}
  for index = #reversed, 1, -1 do
    list[#list + 1] = reversed[index]
  end
  return list
end

local function find(from, to, facing, blocked)
  local seen, looked_at = {}, 0
  local now = { { x = from.x, y = from.y, z = from.z, direction = facing } }
  local later = {}
  while #now > 0 or #later > 0 do
    if #now == 0 then
      now, later = later, now
    end
    local node = table.remove(now)
    local at = key(node.x, node.y, node.z)
    if not seen[at] then
      seen[at] = true
      looked_at = looked_at + 1
      local left = distance(node, to)
      if left == 0 then return directions(node) end
      if looked_at > MAX_LOOKED_AT then return nil end
      for _, other in ipairs(neighbours(node)) do
        local place = key(other.x, other.y, other.z)
        if not blocked[place] and not seen[place] then
          local stack = distance(other, to) < left and now or later
          stack[#stack + 1] = other
        end
      end
    end
  end
end

return { distance = distance, find = find, key = key }
