local expect = dofile("rom/modules/main/cc/expect.lua").expect
local native = _G.peripheral
local sides = { "top", "bottom", "left", "right", "front", "back" }

local function is_hub(side)
  return native.isPresent(side) and native.hasType(side, "peripheral_hub")
end

local function hub_of(name)
  for _, side in ipairs(sides) do
    if is_hub(side) and native.call(side, "isPresentRemote", name) then return side end
  end
end

function getNames()
  local names = {}
  for _, side in ipairs(sides) do
    if native.isPresent(side) then
      names[#names + 1] = side
      if is_hub(side) then
        for _, name in ipairs(native.call(side, "getNamesRemote")) do
          names[#names + 1] = name
        end
      end
    end
  end
  return names
end

function isPresent(name)
  expect(1, name, "string")
  return native.isPresent(name) or hub_of(name) ~= nil
end

local function wrapped_metadata(object)
  local metatable = getmetatable(object)
  if not metatable or metatable.__name ~= "peripheral" or type(metatable.name) ~= "string" then
    error("bad argument #1 (table is not a peripheral)", 3)
  end
  return metatable
end

function getType(object)
  expect(1, object, "string", "table")
  if type(object) == "table" then return table.unpack(wrapped_metadata(object).types) end
  if native.isPresent(object) then return native.getType(object) end
  local hub = hub_of(object)
  if hub then return native.call(hub, "getTypeRemote", object) end
end

function hasType(object, wanted)
  expect(1, object, "string", "table")
  expect(2, wanted, "string")
  if type(object) == "table" then
    for _, name in ipairs(wrapped_metadata(object).types) do
      if name == wanted then return true end
    end
    return false
  end
  if native.isPresent(object) then return native.hasType(object, wanted) end
  local hub = hub_of(object)
  if hub then return native.call(hub, "hasTypeRemote", object, wanted) end
end

function getMethods(name)
  expect(1, name, "string")
  if native.isPresent(name) then return native.getMethods(name) end
  local hub = hub_of(name)
  if hub then return native.call(hub, "getMethodsRemote", name) end
end

function getName(object)
  expect(1, object, "table")
  return wrapped_metadata(object).name
end

function call(name, method, ...)
  expect(1, name, "string")
  expect(2, method, "string")
  if native.isPresent(name) then return native.call(name, method, ...) end
  local hub = hub_of(name)
  if hub then return native.call(hub, "callRemote", name, method, ...) end
end

function wrap(name)
  expect(1, name, "string")
  local methods = getMethods(name)
  if not methods then return nil end
  local types = { getType(name) }
  local object = setmetatable(
    {},
    { __name = "peripheral", name = name, type = types[1], types = types }
  )
  for _, method in ipairs(methods) do
    object[method] = function(...)
      -- By its global name: programs may replace it.
      return peripheral.call(name, method, ...)
    end
  end
  return object
end

function find(wanted, filter)
  expect(1, wanted, "string")
  expect(2, filter, "function", "nil")
  local found = {}
  for _, name in ipairs(getNames()) do
    if hasType(name, wanted) then
      local object = wrap(name)
      if not filter or filter(name, object) then found[#found + 1] = object end
    end
  end
  return table.unpack(found)
end
