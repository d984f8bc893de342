--- Lua values as the descriptors of docs/protocol.md, within bounds. Uses only `next` and raw
-- access: a foreign `__pairs` or `__index` must not run here.

local base64 = require("mcp.base64")
local charset = require("mcp.charset")
local json = require("mcp.json")

local MAX_DEPTH = 16
local MAX_ENTRIES = 10000
local MAX_BYTES = 1024 * 1024

local function cut(text, size)
  local stop = size
  while stop > 0 and stop > size - 4 do
    local following = string.byte(text, stop + 1)
    if not following or following < 128 or following > 191 then return string.sub(text, 1, stop) end
    stop = stop - 1
  end
  return string.sub(text, 1, size)
end

local function take(text, budget)
  if #text > budget.bytes then
    budget.truncated = true
    text = cut(text, budget.bytes)
  end
  budget.bytes = budget.bytes - #text
  return text
end

--- Names and signs of the game are Latin-1: text, though not UTF-8.
local function take_text(text, budget)
  text = take(text, budget)
  if not string.find(text, "[\128-\255]") or not charset.is_text(text) then return text end
  return charset.to_text(text)
end

local function is_sequence(value)
  local count = 0
  for key in next, value do
    if type(key) ~= "number" then return false end
    count = count + 1
  end
  for index = 1, count do
    if rawget(value, index) == nil then return false end
  end
  return count > 0
end

local function own_tostring(value)
  local meta = debug and debug.getmetatable and debug.getmetatable(value)
  return type(meta) == "table" and type(value) ~= "string" and rawget(meta, "__tostring") or nil
end

--- Runs no foreign code.
local function plain_text(key)
  return own_tostring(key) and "<" .. type(key) .. ">" or tostring(key)
end

local rank = { number = 1, string = 2 }

local function before(a, b)
  local kind_a, kind_b = type(a), type(b)
  if kind_a == kind_b and rank[kind_a] then return a < b end
  if kind_a == kind_b then return plain_text(a) < plain_text(b) end
  return (rank[kind_a] or 3) < (rank[kind_b] or 3)
end

local function key_text(key, value)
  if type(key) == "string" then return key end
  if type(key) == "number" then
    local text = string.gsub(json.encode(key), '"', "")
    -- {[1] = a, ["1"] = b} must have two entries in JSON too.
    if rawget(value, text) ~= nil then return "[" .. text .. "]" end
    return text
  end
  return plain_text(key)
end

local convert

local function convert_table(value, depth, path, budget)
  if path[value] then return "<cycle>" end
  if depth > MAX_DEPTH then
    budget.truncated = true
    return "<depth>"
  end
  path[value] = true
  local result
  if is_sequence(value) then
    result = json.array()
    for index = 1, #value do
      if budget.entries <= 0 or budget.bytes <= 0 then
        budget.truncated = true
        break
      end
      budget.entries = budget.entries - 1
      result[index] = convert(rawget(value, index), depth + 1, path, budget)
    end
  else
    result = {}
    local keys = {}
    for key in next, value do
      if #keys >= budget.entries then
        budget.truncated = true
        break
      end
      keys[#keys + 1] = key
    end
    table.sort(keys, before)
    for _, key in ipairs(keys) do
      if budget.entries <= 0 or budget.bytes <= 0 then
        budget.truncated = true
        break
      end
      budget.entries = budget.entries - 1
      local name = take_text(key_text(key, value), budget)
      -- Other keys may have the same text: true and "true", a name in Latin-1 and in UTF-8, two tables.
      local free, number = name, 1
      while result[free] ~= nil do
        number = number + 1
        free = name .. " #" .. number
      end
      result[free] = convert(rawget(value, key), depth + 1, path, budget)
    end
  end
  path[value] = nil
  return result
end

function convert(value, depth, path, budget)
  local kind = type(value)
  if kind == "string" then return take_text(value, budget) end
  if kind == "table" then return convert_table(value, depth, path, budget) end
  if kind == "number" or kind == "boolean" then
    budget.bytes = budget.bytes - 8
    return value
  end
  return "<" .. kind .. ">"
end

local function describe_one(value, budget)
  local kind = type(value)
  budget.truncated = nil
  local descriptor = { type = kind }
  if kind == "string" then
    local text = take(value, budget)
    if json.is_utf8(text) then
      descriptor.value = text
    else
      descriptor.value, descriptor.encoding = base64.encode(text), "base64"
    end
  elseif kind == "table" then
    descriptor.value = convert_table(value, 1, {}, budget)
  elseif kind == "number" or kind == "boolean" then
    descriptor.value = value
  elseif kind ~= "nil" then
    descriptor.value = plain_text(value)
  end
  descriptor.truncated = budget.truncated
  return descriptor
end

--- `packed.n` values, which share one budget.
-- @treturn table a JSON array of descriptors
local function describe(packed)
  local budget = { entries = MAX_ENTRIES, bytes = MAX_BYTES }
  local list = json.array()
  for index = 1, math.min(packed.n, 256) do
    list[index] = describe_one(packed[index], budget)
  end
  return list
end

local function plain(packed, first, limits)
  local budget = { entries = limits.entries, bytes = limits.bytes }
  local list = json.array()
  for index = first, packed.n do
    if #list >= limits.values or budget.bytes <= 0 then
      budget.truncated = true
      break
    end
    local value = packed[index]
    list[#list + 1] = value == nil and json.null or convert(value, 1, {}, budget)
  end
  return list, budget.truncated
end

return {
  describe = describe,
  plain = plain,
  own_tostring = own_tostring,
  cut = cut,
  MAX_BYTES = MAX_BYTES,
  MAX_ENTRIES = MAX_ENTRIES,
}
