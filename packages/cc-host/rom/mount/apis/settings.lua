local expect = dofile("rom/modules/main/cc/expect.lua").expect
local details, values = {}, {}

local function copy(value)
  if type(value) ~= "table" then return value end
  local out = {}
  for key, field in pairs(value) do
    out[key] = copy(field)
  end
  return out
end

local valid_types = { number = true, string = true, boolean = true, table = true }

local function set_value(name, value)
  local old = values[name]
  if old == nil and details[name] then old = details[name].default end
  values[name] = value
  local new = value
  if new == nil and details[name] then new = details[name].default end
  if old ~= new then os.queueEvent("setting_changed", name, new, old) end
end

function define(name, options)
  expect(1, name, "string")
  expect(2, options, "table", "nil")
  options = options or {}
  if options.type ~= nil and not valid_types[options.type] then
    error(
      ("Unknown type %q. Expected one of number, string, boolean, or table."):format(
        tostring(options.type)
      ),
      2
    )
  end
  details[name] =
    { description = options.description, default = copy(options.default), type = options.type }
  local value = values[name]
  if value ~= nil and options.type and type(value) ~= options.type then values[name] = nil end
end

function undefine(name)
  expect(1, name, "string")
  details[name] = nil
end

function set(name, value)
  expect(1, name, "string")
  expect(2, value, "number", "string", "boolean", "table")
  local known = details[name]
  if known and known.type and type(value) ~= known.type then
    error(("bad argument #2 (%s expected, got %s)"):format(known.type, type(value)), 2)
  end
  if type(value) == "table" then textutils.serialize(value) end
  set_value(name, copy(value))
end

function get(name, default)
  expect(1, name, "string")
  local value = values[name]
  if value ~= nil then return copy(value) end
  if default ~= nil then return default end
  if details[name] then return copy(details[name].default) end
end

function getDetails(name)
  expect(1, name, "string")
  local out = copy(details[name] or {})
  out.value = copy(values[name])
  out.changed = out.value ~= nil
  if out.value == nil then out.value = out.default end
  return out
end

function unset(name)
  expect(1, name, "string")
  set_value(name, nil)
end

function clear()
  for name in pairs(copy(values)) do
    set_value(name, nil)
  end
end

function getNames()
  local seen, names = {}, {}
  for _, source in ipairs({ details, values }) do
    for name in pairs(source) do
      if not seen[name] then
        seen[name] = true
        names[#names + 1] = name
      end
    end
  end
  table.sort(names)
  return names
end

function load(path)
  expect(1, path, "string", "nil")
  local file = fs.open(path or ".settings", "r")
  if not file then return false end
  local text = file.readAll()
  file.close()
  local stored = textutils.unserialize(text)
  if type(stored) ~= "table" then return false end
  for name, value in pairs(stored) do
    if type(name) == "string" and valid_types[type(value)] then
      local known = details[name]
      if not known or not known.type or type(value) == known.type then set_value(name, value) end
    end
  end
  return true
end

function save(path)
  expect(1, path, "string", "nil")
  local file = fs.open(path or ".settings", "w")
  if not file then return false end
  file.write(textutils.serialize(values))
  file.close()
  return true
end
