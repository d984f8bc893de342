-- Functions that PUC Lua 5.2 lacks, or whose callbacks cannot yield there: sort, gsub and format.
local raw_sort, raw_gsub, raw_metatable = table.sort, string.gsub, debug.getmetatable
local type, error, select, tostring = type, error, select, tostring
local find, sub, char, byte, concat =
  string.find, string.sub, string.char, string.byte, table.concat

local function merge_sort(list, scratch, from, to, less)
  if to - from < 8 then
    for i = from + 1, to do
      local value, j = list[i], i - 1
      while j >= from and less(value, list[j]) do
        list[j + 1] = list[j]
        j = j - 1
      end
      list[j + 1] = value
    end
    return
  end
  local middle = (from + to - (from + to) % 2) / 2
  merge_sort(list, scratch, from, middle, less)
  merge_sort(list, scratch, middle + 1, to, less)
  for i = from, to do
    scratch[i] = list[i]
  end
  local left, right = from, middle + 1
  for i = from, to do
    if left > middle or (right <= to and less(scratch[right], scratch[left])) then
      list[i] = scratch[right]
      right = right + 1
    else
      list[i] = scratch[left]
      left = left + 1
    end
  end
end

local function before(a, b)
  return a < b
end

function table.sort(list, less)
  if type(list) ~= "table" then
    error("bad argument #1 to 'sort' (table expected, got " .. type(list) .. ")", 2)
  end
  if less == nil then
    local metatable = raw_metatable(list[1])
    if not metatable or not metatable.__lt then return raw_sort(list) end
    less = before
  end
  merge_sort(list, {}, 1, #list, less)
end

local function replacement(fn, whole, ...)
  local value
  if select("#", ...) == 0 then
    value = fn(whole)
  else
    value = fn(...)
  end
  if not value then return whole end
  if type(value) ~= "string" and type(value) ~= "number" then
    error("invalid replacement value (a " .. type(value) .. ")", 3)
  end
  return value
end

function string.gsub(s, pattern, repl, limit)
  if type(repl) ~= "function" then return raw_gsub(s, pattern, repl, limit) end
  s, pattern = tostring(s), tostring(pattern)
  local anchored = sub(pattern, 1, 1) == "^"
  local out, position, count = {}, 1, 0

  local function replace(first, last, ...)
    if not first then return false end
    out[#out + 1] = sub(s, position, first - 1)
    out[#out + 1] = replacement(repl, sub(s, first, last), ...)
    count = count + 1
    if last < first then
      out[#out + 1] = sub(s, first, first)
      position = first + 1
    else
      position = last + 1
    end
    return position <= #s + 1 and not anchored
  end

  while not limit or count < limit do
    if not replace(find(s, pattern, position)) then break end
  end
  out[#out + 1] = sub(s, position)
  return concat(out), count
end

-- %d and %x have 32 bits in this VM, 64 in Cobalt.
local raw_format, int32, uint32 = string.format, 2 ^ 31, 2 ^ 32

local function hexadecimal(value, digits)
  local text = ""
  repeat
    local digit = value % 16
    text = sub(digits, digit + 1, digit + 1) .. text
    value = (value - digit) / 16
  until value == 0
  return text
end

local function wide_spec(flags, letter, value)
  if letter == "x" or letter == "X" then
    local text = hexadecimal(value, letter == "x" and "0123456789abcdef" or "0123456789ABCDEF")
    local width = tonumber(flags:match("%d+$")) or 0
    local filler = flags:find("^0") and "0" or " "
    return filler:rep(width - #text) .. text
  end
  return raw_format("%" .. flags:gsub("%..*", "") .. ".0f", value)
end

local function format_wide(pattern, ...)
  local values, position = { ... }, 0
  local out = raw_gsub(pattern, "%%([%-+ #0]*%d*%.?%d*)(%a)", "\0%1\1%2\2")
  local parts = {}
  for text, flags, letter in (out .. "\0\1\2"):gmatch("(%Z*)%z(%Z-)\1(%a?)\2") do
    parts[#parts + 1] = raw_gsub(text, "%%%%", "%%")
    if letter ~= "" then
      position = position + 1
      local value = values[position]
      local limit = (letter == "x" or letter == "X") and uint32 or int32
      if
        type(value) == "number"
        and raw_gsub(letter, "[diuxX]", "") == ""
        and value % 1 == 0
        and (value >= limit or value < -limit)
      then
        parts[#parts + 1] = wide_spec(flags, letter, value)
      else
        parts[#parts + 1] = raw_format("%" .. flags .. letter, value)
      end
    end
  end
  return concat(parts)
end

local function with_texts(...)
  local values, count = { ... }, select("#", ...)
  for i = 1, count do
    local metatable = type(values[i]) == "table" and raw_metatable(values[i])
    local own = metatable and metatable.__tostring
    if own then values[i] = own(values[i]) end
  end
  return table.unpack(values, 1, count)
end

function string.format(pattern, ...)
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    local metatable = type(value) == "table" and raw_metatable(value)
    if metatable and metatable.__tostring and find(pattern, "%s", 1, true) then
      return string.format(pattern, with_texts(...))
    end
    if type(value) == "number" and (value >= int32 or value < -int32) and value ~= 1 / 0 then
      return format_wide(pattern, ...)
    end
  end
  return raw_format(pattern, ...)
end

function table.move(from, first, last, target, to)
  to = to or from
  if target > first and to == from then
    for i = last - first, 0, -1 do
      to[target + i] = from[first + i]
    end
  else
    for i = 0, last - first do
      to[target + i] = from[first + i]
    end
  end
  return to
end

function table.getn(list)
  return #list
end

local function encode_point(code)
  if code < 0x80 then return char(code) end
  if code < 0x800 then return char(0xC0 + (code - code % 64) / 64, 0x80 + code % 64) end
  local low = 0x80 + code % 64
  local rest = (code - code % 64) / 64
  if code < 0x10000 then return char(0xE0 + (rest - rest % 64) / 64, 0x80 + rest % 64, low) end
  local high = (rest - rest % 64) / 64
  return char(0xF0 + (high - high % 64) / 64, 0x80 + high % 64, 0x80 + rest % 64, low)
end

local minimum = { 0, 0x80, 0x800, 0x10000 }

local function decode_point(s, position)
  local first = byte(s, position)
  if not first then return nil end
  if first < 0x80 then return first, 1 end
  local length = first >= 0xF0 and 4 or first >= 0xE0 and 3 or 2
  if first < 0xC2 or first > 0xF4 then return nil end
  local code = first % 2 ^ (7 - length)
  for i = 1, length - 1 do
    local next_byte = byte(s, position + i)
    if not next_byte or next_byte < 0x80 or next_byte > 0xBF then return nil end
    code = code * 64 + next_byte % 64
  end
  if code < minimum[length] or code > 0x10FFFF or (code >= 0xD800 and code <= 0xDFFF) then
    return nil
  end
  return code, length
end

local function index(i, length)
  return i < 0 and length + i + 1 or i
end

utf8 = { charpattern = "[%z\1-\127\194-\244][\128-\191]*" }

function utf8.char(...)
  local out = {}
  for i = 1, select("#", ...) do
    out[i] = encode_point((select(i, ...)))
  end
  return concat(out)
end

function utf8.codepoint(s, first, last)
  first = index(first or 1, #s)
  last = index(last or first, #s)
  local out, position = {}, first
  while position <= last do
    local code, length = decode_point(s, position)
    if not code then error("invalid UTF-8 code", 2) end
    out[#out + 1] = code
    position = position + length
  end
  return table.unpack(out)
end

function utf8.len(s, first, last)
  local position = index(first or 1, #s)
  last = index(last or -1, #s)
  local count = 0
  while position <= last do
    local code, length = decode_point(s, position)
    if not code then return nil, position end
    count = count + 1
    position = position + length
  end
  return count
end

function utf8.codes(s)
  return function(_, position)
    local start = position
    if start == 0 then
      start = 1
    else
      local _, length = decode_point(s, start)
      start = start + (length or 1)
    end
    if start > #s then return nil end
    local code = decode_point(s, start)
    if not code then error("invalid UTF-8 code", 2) end
    return start, code
  end,
    s,
    0
end

local function continuation(s, position)
  local value = byte(s, position)
  return value and value >= 0x80 and value <= 0xBF
end

function utf8.offset(s, n, start)
  local position = index(start or (n > 0 and 1 or #s + 1), #s)
  if n == 0 then
    while position > 1 and continuation(s, position) do
      position = position - 1
    end
    return position
  end
  if continuation(s, position) then error("initial position is a continuation byte", 2) end
  if n < 0 then
    while n < 0 and position > 1 do
      repeat
        position = position - 1
      until position <= 1 or not continuation(s, position)
      n = n + 1
    end
    return n == 0 and position or nil
  end
  n = n - 1
  while n > 0 and position <= #s do
    repeat
      position = position + 1
    until not continuation(s, position)
    n = n - 1
  end
  return n == 0 and position or nil
end
