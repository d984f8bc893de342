local json = require("mcp.json")
local values = require("mcp.values")

--- Each call may raise an event, and the game's queue holds 256.
local MAX_CALLS = 64
local MAX_ERROR = 2000

local function message_of(problem)
  -- parallel wraps errors in tables since CC:Tweaked 1.115.
  if type(problem) == "table" and type(problem.message) == "string" then
    problem = problem.message
  end
  return values.cut(tostring(problem), MAX_ERROR)
end

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

local function missing(name, method)
  if not peripheral.isPresent(name) then
    local names = table.concat(peripheral.getNames(), ", ")
    return "there is no peripheral named "
      .. name
      .. (names == "" and ": nothing is attached" or "; attached are: " .. names)
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

local function call(name, method, ...)
  local problem = missing(name, method)
  if problem then return false, problem end
  local result = table.pack(pcall(peripheral.call, name, method, ...))
  if not result[1] then return false, message_of(result[2]) end
  -- A peripheral detached during the call returns nothing, as do methods without a result.
  if result.n == 1 and not peripheral.isPresent(name) then
    return false, name .. " was detached during the call: it is unknown whether it was done"
  end
  return true, { n = result.n - 1, table.unpack(result, 2, result.n) }
end

local function run_all(functions)
  for first = 1, #functions, MAX_CALLS do
    parallel.waitForAll(table.unpack(functions, first, math.min(first + MAX_CALLS - 1, #functions)))
  end
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

return {
  MAX_CALLS = MAX_CALLS,
  call = call,
  inventory_names = inventory_names,
  is_inventory = is_inventory,
  message_of = message_of,
  remote_sides = remote_sides,
  run_all = run_all,
  sorted_methods = sorted_methods,
  types_of = types_of,
}
