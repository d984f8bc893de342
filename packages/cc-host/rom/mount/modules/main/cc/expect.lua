local function type_name(value)
  if value == nil then return "nil" end
  local metatable = getmetatable(value)
  local name = type(metatable) == "table" and rawget(metatable, "__name")
  return type(name) == "string" and name or type(value)
end

local function list(names)
  if #names > 1 and names[#names] == "nil" then names[#names] = nil end
  if #names <= 1 then return names[1] or "" end
  return table.concat(names, ", ", 1, #names - 1) .. " or " .. names[#names]
end

local function expect(index, value, ...)
  local actual = type(value)
  local wanted = { ... }
  for i = 1, #wanted do
    if actual == wanted[i] then return value end
  end
  local ok, info = pcall(debug.getinfo, 3, "nS")
  local name = ok and info and info.what ~= "C" and info.name or nil
  local where = name and name ~= "" and (" to '" .. name .. "'") or ""
  error(
    ("bad argument #%d%s (%s expected, got %s)"):format(
      index,
      where,
      list(wanted),
      type_name(value)
    ),
    3
  )
end

local function field(tbl, key, ...)
  expect(1, tbl, "table")
  expect(2, key, "string")
  local value = tbl[key]
  local actual = type(value)
  local wanted = { ... }
  for i = 1, #wanted do
    if actual == wanted[i] then return value end
  end
  if value == nil then error(("field '%s' missing from table"):format(key), 3) end
  error(("bad field '%s' (%s expected, got %s)"):format(key, list(wanted), type_name(value)), 3)
end

local function range(num, min, max)
  expect(1, num, "number")
  min, max =
    expect(2, min, "number", "nil") or -math.huge, expect(3, max, "number", "nil") or math.huge
  if min > max then error("min must be less than or equal to max)", 2) end
  if num ~= num or num < min or num > max then
    error(("number outside of range (expected %s to be within %s and %s)"):format(num, min, max), 3)
  end
  return num
end

return setmetatable({ expect = expect, field = field, range = range }, {
  __call = function(_, ...)
    return expect(...)
  end,
})
