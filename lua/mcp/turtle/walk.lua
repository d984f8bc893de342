local positions = require("mcp.turtle.position")
local route = require("mcp.turtle.route")

local MAX_OBSTACLES = 200
local MAX_DISTANCE = 2000
local MAX_FALLING = 64
local TELL_EVERY = 16

local MAX_NAMED = 6
local DIRECTIONS = { "north", "east", "south", "west", "up", "down" }

local FACINGS = { north = 0, east = 1, south = 2, west = 3 }
local VERTICAL = {
  up = { move = "up", inspect = "inspectUp", dig = "digUp", side = "top" },
  down = { move = "down", inspect = "inspectDown", dig = "digDown", side = "bottom" },
}
local AHEAD = { move = "forward", inspect = "inspect", dig = "dig", side = "front" }

--- Containers and computers are never dug.
local KEPT = { "^computercraft:", "chest$", "barrel$", "shulker_box$" }

local function known_place(position)
  position.check()
  local place = position.report()
  local remedy = ": tell it with set-position"
  if not place.position then return nil, "its position is unknown" .. remedy end
  if not place.facing then return nil, "its facing is unknown" .. remedy end
  if not place.certain then
    return nil, "its position is not certain (" .. tostring(place.note) .. ")" .. remedy
  end
  return place
end

local function face(position, facing)
  local place, problem = known_place(position)
  if not place then return false, problem end
  local turns = (FACINGS[facing] - FACINGS[place.facing]) % 4
  local op = turns == 3 and "turnLeft" or "turnRight"
  for _ = 1, turns == 3 and 1 or turns do
    local ok, reason = position.act(op)
    if not ok then return false, reason end
  end
  return true
end

local function block_name(how)
  local ok, found, block = pcall(turtle[how.inspect])
  if not ok and found == "Terminated" then error(found, 0) end
  return ok and found and type(block) == "table" and tostring(block.name) or nil
end

local function is_kept(how, name)
  if peripheral.isPresent(how.side) then return true end
  for _, pattern in ipairs(KEPT) do
    if name:find(pattern) then return true end
  end
  return false
end

local function step(position, direction, dig, tally)
  if not VERTICAL[direction] then
    local ok, problem = face(position, direction)
    if not ok then return false, problem end
  end
  local how = VERTICAL[direction] or AHEAD
  for _ = 0, MAX_FALLING do
    local ok, reason = position.act(how.move)
    if ok then return true end
    if reason ~= "Movement obstructed" then return false, reason or "no reason given" end
    local name = block_name(how)
    if not dig or not name or is_kept(how, name) or not turtle[how.dig]() then
      return false, nil, name or "something that is not a block"
    end
    tally.dug = tally.dug + 1
  end
  return false, nil, "blocks that keep falling"
end

local function beside(at, direction)
  local sideways = positions.STEPS[direction]
  if sideways then return { x = at.x + sideways[1], y = at.y, z = at.z + sideways[2] } end
  return { x = at.x, y = at.y + (direction == "up" and 1 or -1), z = at.z }
end

local function same(a, b)
  return a.x == b.x and a.y == b.y and a.z == b.z
end

local function too_little_fuel(needed)
  local fuel = turtle.getFuelLevel()
  if type(fuel) ~= "number" or fuel >= needed then return nil end
  return "the route takes " .. needed .. " fuel, but there is only " .. fuel .. ": refuel first"
end

local function summary(tally)
  local text = tally.moves .. (tally.moves == 1 and " move" or " moves")
  if tally.dug > 0 then text = text .. ", dug " .. tally.dug end
  if tally.obstacles > 0 then
    local count = tally.obstacles
    text = text .. ", went around " .. count .. (count == 1 and " obstacle" or " obstacles")
  end
  return text
end

local function remedy(walk)
  if walk.dig then return ", which goto does not dig or cannot dig" end
  return ": add `dig` to the goto to dig through"
end

local function counted(blocks)
  local counts, names = {}, {}
  for _, name in ipairs(blocks) do
    if not counts[name] then names[#names + 1] = name end
    counts[name] = (counts[name] or 0) + 1
  end
  table.sort(names, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return a < b
  end)
  local parts = {}
  for index = 1, math.min(#names, MAX_NAMED) do
    parts[index] = counts[names[index]] .. " " .. names[index]
  end
  if #names > MAX_NAMED then parts[#parts + 1] = #names - MAX_NAMED .. " other kinds" end
  return table.concat(parts, ", ")
end

local function no_route(walk, at)
  local around, met = {}, {}
  for _, direction in ipairs(DIRECTIONS) do
    local there = beside(at, direction)
    around[#around + 1] = walk.blocked[route.key(there.x, there.y, there.z)]
  end
  if #around == #DIRECTIONS then
    return "all six sides are blocked (" .. counted(around) .. ")" .. remedy(walk)
  end
  for _, block in pairs(walk.blocked) do
    met[#met + 1] = block
  end
  local tally = walk.tally
  local done = tally.moves .. (tally.moves == 1 and " move" or " moves")
  return "no free route was found in " .. done .. " past " .. counted(met) .. remedy(walk)
end

local function follow(position, way, walk)
  local tally = walk.tally
  for index, direction in ipairs(way) do
    local place, lost = known_place(position)
    if not place then return false, lost end
    local ok, reason, block = step(position, direction, walk.dig, tally)
    if not ok then
      if reason then return false, reason end
      local there = beside(place.position, direction)
      if same(there, walk.to) then
        return false, "the destination itself is occupied by " .. block .. remedy(walk)
      end
      walk.blocked[route.key(there.x, there.y, there.z)] = block
      tally.obstacles = tally.obstacles + 1
      return true
    end
    tally.moves = tally.moves + 1
    if tally.moves % TELL_EVERY == 0 and index < #way then
      walk.tell(tally.moves .. " moves, " .. #way - index .. " to go")
    end
  end
  return true
end

--- @tparam table to `x`, `y`, `z`
-- @tparam table how `facing` (at the end, if any), `dig`, `tell` (called with its progress)
-- @treturn boolean whether it arrived
-- @treturn string what it did, or why it did not arrive
local function go(position, to, how)
  local tally = { moves = 0, dug = 0, obstacles = 0 }
  local walk = { to = to, dig = how.dig, tell = how.tell, blocked = {}, tally = tally }
  while true do
    local place, problem = known_place(position)
    if not place then return false, problem end
    local at = place.position
    if same(at, to) then break end
    if route.distance(at, to) > MAX_DISTANCE then
      return false, "it is too far away: at most " .. MAX_DISTANCE .. " blocks at a time"
    end
    local way = route.find(at, to, place.facing, walk.blocked)
    if not way or tally.obstacles > MAX_OBSTACLES then return false, no_route(walk, at) end
    problem = too_little_fuel(#way)
    if problem then return false, problem end
    local ok, reason = follow(position, way, walk)
    if not ok then return false, reason end
  end
  if how.facing then
    local ok, problem = face(position, how.facing)
    if not ok then return false, problem end
  end
  return true, summary(tally)
end

return { face = face, FACINGS = FACINGS, go = go }
