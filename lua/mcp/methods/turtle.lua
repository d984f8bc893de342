local json = require("mcp.json")
local positions = require("mcp.turtle.position")
local steps = require("mcp.turtle.steps")
local values = require("mcp.values")

local NO_TURTLE = "this computer is not a turtle"
local SLOTS = 16
local GPS_SECONDS = 2

local function item(slot, detail)
  local enchantments
  if type(detail.enchantments) == "table" then
    enchantments = json.array()
    for index, each in ipairs(detail.enchantments) do
      enchantments[index] = tostring(type(each) == "table" and (each.displayName or each.name))
    end
  end
  return {
    slot = slot,
    name = tostring(detail.name),
    count = tonumber(detail.count) or 0,
    displayName = type(detail.displayName) == "string" and detail.displayName or nil,
    maxCount = tonumber(detail.maxCount),
    damage = tonumber(detail.damage),
    maxDamage = tonumber(detail.maxDamage),
    enchantments = enchantments,
  }
end

--- Details take a tick each, so they are read in parallel.
local function slot_list()
  local found, functions = {}, {}
  for slot = 1, SLOTS do
    if turtle.getItemCount(slot) > 0 then
      functions[#functions + 1] = function()
        local ok, detail = pcall(turtle.getItemDetail, slot, true)
        if not ok or type(detail) ~= "table" then detail = turtle.getItemDetail(slot) end
        if type(detail) == "table" then found[slot] = item(slot, detail) end
      end
    end
  end
  if #functions > 0 then parallel.waitForAll(table.unpack(functions)) end
  local list = json.array()
  for slot = 1, SLOTS do
    if found[slot] then list[#list + 1] = found[slot] end
  end
  return list
end

local function equipped()
  if not turtle.getEquippedLeft then return nil end
  local function name(ok, detail)
    return ok and type(detail) == "table" and tostring(detail.name) or nil
  end
  return {
    left = name(pcall(turtle.getEquippedLeft)),
    right = name(pcall(turtle.getEquippedRight)),
  }
end

local UPGRADES = { modem = true, workbench = true, speaker = true }

local function attached()
  local function upgrade(side)
    local kind = peripheral.getType(side)
    return UPGRADES[kind] and kind or nil
  end
  return { left = upgrade("left"), right = upgrade("right") }
end

local function turtle_status(_, context)
  if not turtle then return nil, NO_TURTLE end
  local position = context.turtle.position
  position.check()
  local slots = slot_list()
  local status = position.report()
  status.fuel = turtle.getFuelLevel()
  status.fuelLimit = turtle.getFuelLimit and turtle.getFuelLimit() or nil
  status.selected = turtle.getSelectedSlot()
  status.slots = slots
  status.equipped = equipped()
  if not status.equipped then status.attached = attached() end
  status.running = context.turtle.is_busy()
  return status
end

local function turtle_run(params, context)
  if not turtle then return nil, NO_TURTLE end
  local problem = steps.check(type(params) == "table" and params.steps)
  if problem then return nil, problem end
  local rounds = params.rounds or 1
  if type(rounds) ~= "number" or rounds < 1 or rounds > steps.MAX_TIMES then
    return nil, "params.rounds must be 1 to " .. steps.MAX_TIMES
  end
  if context.turtle.is_busy() then
    return nil,
      "another turtle-run is moving this turtle: wait for it or cancel it, nothing was done"
  end
  local position = context.turtle.position
  local state, failure, there = context.turtle.drive(function()
    position.check()
    return steps.run(position, params.steps, rounds)
  end)
  local result = { returns = values.describe({ n = 1, state or there }) }
  if state then return result end
  return nil, failure, result
end

local function locate()
  if not gps then return nil, "gps is not available here" end
  local ok, x, y, z = pcall(gps.locate, GPS_SECONDS)
  if not ok then
    if x == "Terminated" then error(x, 0) end
    return nil, "gps failed: " .. tostring(x)
  end
  if not x then
    return nil,
      "gps found no position: the turtle needs a wireless modem, and four gps hosts in range"
  end
  return { math.floor(x + 0.5), math.floor(y + 0.5), math.floor(z + 0.5) }
end

local function set_position(params, context)
  if not turtle then return nil, NO_TURTLE end
  if type(params) ~= "table" then return nil, "set-position needs params" end
  if params.facing ~= nil and not positions.STEPS[params.facing] then
    return nil, "facing must be north, east, south or west"
  end
  if context.turtle.is_busy() then
    return nil, "a turtle-run is moving this turtle: wait for it or cancel it, nothing was set"
  end
  local at = { params.x, params.y, params.z }
  if params.gps then
    local found, problem = locate()
    if not found then return nil, problem end
    at = found
  end
  for index = 1, 3 do
    if type(at[index]) ~= "number" or at[index] ~= math.floor(at[index]) then
      return nil, "x, y and z must be whole numbers"
    end
  end
  local position = context.turtle.position
  position.set(at[1], at[2], at[3], params.facing)
  return position.report()
end

return {
  ["turtle-status"] = { run = turtle_status },
  ["turtle-run"] = { capture = true, run = turtle_run },
  ["set-position"] = { run = set_position },
}
