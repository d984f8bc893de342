--- What is attached to this computer: peripherals, inventories, redstone.

local json = require("mcp.json")
local values = require("mcp.values")

--- Calls at once: each may bring an event, and the game's queue holds 256.
local MAX_CALLS = 64
--- Slots in one answer.
local MAX_SLOTS = 4096
local MAX_ERROR = 2000

local function message_of(problem)
  -- parallel wraps errors in tables from CC:Tweaked 1.115 on.
  if type(problem) == "table" and type(problem.message) == "string" then
    problem = problem.message
  end
  return values.cut(tostring(problem), MAX_ERROR)
end

--- Remote names and the side of the modem that reaches each.
local function remote_sides()
  local via = {}
  for _, side in ipairs(redstone.getSides()) do
    if peripheral.isPresent(side) and peripheral.hasType(side, "peripheral_hub") then
      for _, name in ipairs(peripheral.call(side, "getNamesRemote") or {}) do
        via[name] = via[name] or side
      end
    end
  end
  return via
end

local function types_of(name)
  return json.array({ peripheral.getType(name) })
end

local function sorted_methods(name)
  local methods = peripheral.getMethods(name) or {}
  table.sort(methods)
  return json.array(methods)
end

local function list_peripherals()
  local via = remote_sides()
  local list = json.array()
  for _, name in ipairs(peripheral.getNames()) do
    list[#list + 1] = {
      name = name,
      types = types_of(name),
      methods = sorted_methods(name),
      via = via[name],
    }
  end
  return { peripherals = list }
end

--- Why there is nothing to call: peripheral.call itself says nothing about a missing name.
local function missing(name, method)
  if not peripheral.isPresent(name) then
    local names = table.concat(peripheral.getNames(), ", ")
    return "no peripheral is called "
      .. name
      .. (names == "" and ": nothing is attached" or "; there are: " .. names)
  end
  local methods = sorted_methods(name)
  for _, known in ipairs(methods) do
    if known == method then return nil end
  end
  return name
    .. " ("
    .. table.concat(types_of(name), ", ")
    .. ") has no method "
    .. method
    .. "; it has: "
    .. table.concat(methods, ", ")
end

--- Calls a method. Returns true and the packed values, or false and why not.
local function call(name, method, ...)
  local problem = missing(name, method)
  if problem then return false, problem end
  local result = table.pack(pcall(peripheral.call, name, method, ...))
  if not result[1] then return false, message_of(result[2]) end
  -- What was detached during the call returns nothing, as do methods without a result.
  if result.n == 1 and not peripheral.isPresent(name) then
    return false, name .. " was detached during the call: it is unknown whether it was done"
  end
  return true, { n = result.n - 1, table.unpack(result, 2, result.n) }
end

--- Runs functions side by side, some at a time.
local function run_all(functions)
  for first = 1, #functions, MAX_CALLS do
    parallel.waitForAll(table.unpack(functions, first, math.min(first + MAX_CALLS - 1, #functions)))
  end
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

local function is_inventory(name)
  if peripheral.hasType(name, "inventory") then return true end
  local has = {}
  for _, method in ipairs(peripheral.getMethods(name) or {}) do
    has[method] = true
  end
  return has.list and has.size and has.getItemDetail
end

local function inventory_names(wanted)
  if type(wanted) == "table" and #wanted > 0 then return wanted end
  local names = {}
  for _, name in ipairs(peripheral.getNames()) do
    if is_inventory(name) then names[#names + 1] = name end
  end
  return names
end

--- The table of `list()` as a list that keeps the slot numbers. Its length counts against `budget`.
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
  local names = inventory_names(type(params) == "table" and params.names)
  local inventories, functions, contents = json.array(), {}, {}
  for index, name in ipairs(names) do
    if type(name) ~= "string" then return nil, "params.names must be a list of names" end
    local inventory = { name = name, types = types_of(name) }
    inventories[index] = inventory
    if peripheral.isPresent(name) and not is_inventory(name) then
      inventory.error = name .. " is no inventory: it is " .. table.concat(inventory.types, ", ")
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

local function set_side(params)
  local setters = {
    { params.output, redstone.setOutput },
    { params.strength, redstone.setAnalogOutput },
    { params.bundled, redstone.setBundledOutput },
  }
  for index = 1, 3 do
    local value, set = setters[index][1], setters[index][2]
    if value ~= nil then
      if not is_side(params.side) then
        return "there is no side "
          .. tostring(params.side)
          .. "; sides are: "
          .. table.concat(redstone.getSides(), ", ")
      end
      local ok, problem = pcall(set, params.side, value)
      if not ok then return message_of(problem) end
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
  redstone = { run = read_and_set_redstone },
}
