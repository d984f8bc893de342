--- Walking to a place whose coordinates are known, and turning to a side of the world.

local positions = require("mcp.turtle.position")
local route = require("mcp.turtle.route")

--- Obstacles after which it gives up: each costs a vain move and a new way.
local MAX_OBSTACLES = 200
--- Blocks of one goto.
local MAX_DISTANCE = 2000
--- Blocks that may fall into the place of one that was dug, such as gravel.
local MAX_FALLING = 64
--- Says how far it is after so many moves.
local TELL_EVERY = 16

local FACINGS = { north = 0, east = 1, south = 2, west = 3 }
--- How to act in a direction; ahead for those that are not here.
local VERTICAL = {
  up = { move = "up", inspect = "inspectUp", dig = "digUp", side = "top" },
  down = { move = "down", inspect = "inspectDown", dig = "digDown", side = "bottom" },
}
local AHEAD = { move = "forward", inspect = "inspect", dig = "dig", side = "front" }

--- What holds things or thinks is walked around, never dug.
local KEPT = { "^computercraft:", "chest$", "barrel$", "shulker_box$" }

--- Where the turtle is, or nil and why that is not known well enough.
local function known_place(position)
  position.check()
  local place = position.report()
  local remedy = ": tell it with set-position"
  if not place.position then return nil, "its place is not known" .. remedy end
  if not place.facing then return nil, "its facing is not known" .. remedy end
  if not place.certain then
    return nil, "its place is not certain (" .. tostring(place.note) .. ")" .. remedy
  end
  return place
end

--- Turns until it looks to a side of the world.
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

--- Moves one block, digging if it may.
-- @treturn boolean whether it moved
-- @treturn ?string why not
-- @treturn ?string the block in the way, if it is one
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
  return "the way takes " .. needed .. " fuel and there are " .. fuel .. ": refuel first"
end

--- What was done, in a few words.
local function summary(tally)
  local text = tally.moves .. (tally.moves == 1 and " move" or " moves")
  if tally.dug > 0 then text = text .. ", dug " .. tally.dug end
  if tally.obstacles > 0 then
    local count = tally.obstacles
    text = text .. ", went around " .. count .. (count == 1 and " obstacle" or " obstacles")
  end
  return text
end

--- Follows a way until it is done or blocked; notes what is in the way in `walk.blocked`.
-- @treturn boolean false when the walk is over for good
-- @treturn ?string why
local function follow(position, way, walk)
  local tally = walk.tally
  for index, direction in ipairs(way) do
    local place, lost = known_place(position)
    if not place then return false, lost end
    local ok, reason, block = step(position, direction, walk.dig, tally)
    if not ok then
      if reason then return false, reason end
      local there = beside(place.position, direction)
      if same(there, walk.to) then return false, "the place itself is taken by " .. block end
      walk.blocked[route.key(there.x, there.y, there.z)] = true
      tally.obstacles, tally.last = tally.obstacles + 1, block
      return true
    end
    tally.moves = tally.moves + 1
    if tally.moves % TELL_EVERY == 0 and index < #way then
      walk.tell(tally.moves .. " moves, " .. #way - index .. " to go")
    end
  end
  return true
end

--- Walks to a place, around what is in the way, or through it with `dig`.
-- @tparam table position see mcp.turtle.position
-- @tparam table to `x`, `y`, `z`
-- @tparam table how `facing` (where it looks at the end, if that matters), `dig`, `tell` (is told how far it
-- is)
-- @treturn boolean whether it is there
-- @treturn string what it did, or why it is not
local function go(position, to, how)
  local tally = { moves = 0, dug = 0, obstacles = 0 }
  local walk = { to = to, dig = how.dig, tell = how.tell, blocked = {}, tally = tally }
  while true do
    local place, problem = known_place(position)
    if not place then return false, problem end
    local at = place.position
    if same(at, to) then break end
    if route.distance(at, to) > MAX_DISTANCE then
      return false, "it is too far: at most " .. MAX_DISTANCE .. " blocks at a time"
    end
    local way = route.find(at, to, place.facing, walk.blocked)
    if not way or tally.obstacles > MAX_OBSTACLES then
      return false,
        "no way was found after " .. summary(tally) .. ", the last was " .. tostring(tally.last)
    end
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
