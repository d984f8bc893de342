-- Encodes Lua values for the host, and copies values that leave the VM: functions, coroutines and
local k = ...
local type, next, format, concat = type, next, string.format, table.concat

local function encode_value(out, value, seen)
  local kind = type(value)
  if kind == "string" then
    out[#out + 1] = "s" .. #value .. ":"
    out[#out + 1] = value
  elseif kind == "number" then
    if value ~= value then
      out[#out + 1] = "nnan;"
    elseif value == math.huge then
      out[#out + 1] = "ninf;"
    elseif value == -math.huge then
      out[#out + 1] = "n-inf;"
    else
      out[#out + 1] = format("n%.17g;", value)
    end
  elseif kind == "boolean" then
    out[#out + 1] = value and "T" or "F"
  elseif kind == "table" and not seen[value] then
    seen[value] = true
    out[#out + 1] = "t"
    for key, field in next, value do
      local key_kind = type(key)
      if key_kind == "string" or key_kind == "number" or key_kind == "boolean" then
        encode_value(out, key, seen)
        encode_value(out, field, seen)
      end
    end
    out[#out + 1] = "e"
    seen[value] = nil
  else
    out[#out + 1] = "z"
  end
end

local function encode(...)
  local out = {}
  for i = 1, select("#", ...) do
    encode_value(out, (select(i, ...)), {})
  end
  return concat(out)
end

local function copy_value(value, seen)
  local kind = type(value)
  if kind == "table" then
    if seen[value] then return seen[value] end
    local out = {}
    seen[value] = out
    for key, field in next, value do
      local new_key, new_field = copy_value(key, seen), copy_value(field, seen)
      if new_key ~= nil then out[new_key] = new_field end
    end
    return out
  elseif kind == "function" or kind == "thread" or kind == "userdata" then
    return nil
  end
  return value
end

local function copy(...)
  local out, seen = table.pack(...), {}
  for i = 1, out.n do
    out[i] = copy_value(out[i], seen)
  end
  return out
end

k.wire = { encode = encode, copy = copy }
