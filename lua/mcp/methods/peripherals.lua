local calls_module = require("mcp.peripherals.calls")
local json = require("mcp.json")
local move = require("mcp.peripherals.move")
local values = require("mcp.values")

local MAX_CALLS = calls_module.MAX_CALLS
local call, run_all, types_of = calls_module.call, calls_module.run_all, calls_module.types_of

local MAX_PULSE_MS = 10000
local MAX_SLOTS = 4096

local function list_peripherals()
  local via = calls_module.remote_sides()
  local list = json.array()
  for _, name in ipairs(peripheral.getNames()) do
    list[#list + 1] = {
      name = name,
      types = types_of(name),
      methods = calls_module.sorted_methods(name),
      via = via[name],
    }
  end
  return { peripherals = list }
end

local function check_calls(calls)
  if type(calls) ~= "table" or #calls == 0 then
    return "call-peripheral needs params.calls, a list of calls"
  end
  if #calls > MAX_CALLS then return "at most " .. MAX_CALLS .. " calls at a time" end
  for index, each in ipairs(calls) do
    if type(each) ~= "table" or type(each.name) ~= "string" or type(each.method) ~= "string" then
      return "call " .. index .. " needs a name and a method"
    end
  end
end

local function call_peripheral(params)
  local calls = type(params) == "table" and params.calls
  local problem = check_calls(calls)
  if problem then return nil, problem end
  local functions, results = {}, json.array()
  for index, each in ipairs(calls) do
    local args = type(each.args) == "table" and each.args or {}
    local count = type(each.count) == "number" and each.count or #args
    functions[index] = function()
      local ok, result = call(each.name, each.method, table.unpack(args, 1, count))
      results[index] = ok and { ok = true, returns = result } or { ok = false, error = result }
    end
  end
  run_all(functions)
  for _, result in ipairs(results) do
    if result.ok then result.returns = values.describe(result.returns) end
  end
  return { results = results }
end

local function slot_list(items, budget)
  local numbers = {}
  for slot in pairs(items) do
    if type(slot) == "number" then numbers[#numbers + 1] = slot end
  end
  table.sort(numbers)
  local list = json.array()
  for _, slot in ipairs(numbers) do
    if budget.slots <= 0 then
      budget.truncated = true
      break
    end
    local item = items[slot]
    if type(item) == "table" then
      budget.slots = budget.slots - 1
      list[#list + 1] = {
        slot = slot,
        name = tostring(item.name),
        count = tonumber(item.count) or 0,
        nbt = type(item.nbt) == "string" and item.nbt or nil,
      }
    end
  end
  return list
end

local function list_inventory(params)
  local names = calls_module.inventory_names(type(params) == "table" and params.names)
  local inventories, functions, contents = json.array(), {}, {}
  for index, name in ipairs(names) do
    if type(name) ~= "string" then return nil, "params.names must be a list of names" end
    local inventory = { name = name, types = types_of(name) }
    inventories[index] = inventory
    if peripheral.isPresent(name) and not calls_module.is_inventory(name) then
      inventory.error = name
        .. " is not an inventory: it is "
        .. table.concat(inventory.types, ", ")
    else
      functions[#functions + 1] = function()
        local ok, result = call(name, "size")
        if ok then
          inventory.size = tonumber(result[1])
        else
          inventory.error = result
        end
      end
      functions[#functions + 1] = function()
        local ok, result = call(name, "list")
        if ok and type(result[1]) == "table" then
          contents[index] = result[1]
        elseif not ok then
          inventory.error = result
        end
      end
    end
  end
  run_all(functions)
  local budget = { slots = MAX_SLOTS }
  for index, inventory in ipairs(inventories) do
    inventory.slots = slot_list(contents[index] or {}, budget)
  end
  return { inventories = inventories, truncated = budget.truncated }
end

local function read_side(side)
  return {
    side = side,
    input = redstone.getAnalogInput(side),
    output = redstone.getAnalogOutput(side),
    bundledInput = redstone.getBundledInput(side),
    bundledOutput = redstone.getBundledOutput(side),
  }
end

local function is_side(name)
  for _, side in ipairs(redstone.getSides()) do
    if side == name then return true end
  end
  return false
end

local OUTPUTS = {
  { "output", redstone.setOutput, redstone.getAnalogOutput, redstone.setAnalogOutput },
  { "strength", redstone.setAnalogOutput, redstone.getAnalogOutput, redstone.setAnalogOutput },
  { "bundled", redstone.setBundledOutput, redstone.getBundledOutput, redstone.setBundledOutput },
}

local function set_side(params)
  local side, pulse = params.side, params.pulseMs
  if pulse ~= nil and (type(pulse) ~= "number" or pulse < 0 or pulse > MAX_PULSE_MS) then
    return "params.pulseMs must be at most " .. MAX_PULSE_MS
  end
  for _, each in ipairs(OUTPUTS) do
    local value, set, get, set_back = params[each[1]], each[2], each[3], each[4]
    if value ~= nil then
      if not is_side(side) then
        return "there is no side named "
          .. tostring(side)
          .. "; sides are: "
          .. table.concat(redstone.getSides(), ", ")
      end
      local before = get(side)
      local ok, problem = pcall(set, side, value)
      if not ok then return calls_module.message_of(problem) end
      if pulse then
        ok, problem = pcall(sleep, pulse / 1000)
        set_back(side, before)
        if not ok then error(problem, 0) end
      end
    end
  end
end

local function read_and_set_redstone(params)
  if type(params) == "table" then
    local problem = set_side(params)
    if problem then return nil, problem end
  end
  local sides = json.array()
  for index, side in ipairs(redstone.getSides()) do
    sides[index] = read_side(side)
  end
  return { sides = sides }
end

return {
  ["list-peripherals"] = { run = list_peripherals },
  ["call-peripheral"] = { run = call_peripheral },
  ["list-inventory"] = { run = list_inventory },
  -- Captured: it may take long, and the output shows what was done before a stop.
  ["move-items"] = { capture = true, run = move.run },
  redstone = { run = read_and_set_redstone },
}
