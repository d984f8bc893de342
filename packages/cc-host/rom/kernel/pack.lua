-- string.pack, unpack and packsize, which PUC Lua has only since 5.3.
local error, tonumber, select, unpack = error, tonumber, select, table.unpack
local char, byte, sub, rep, concat, floor =
  string.char, string.byte, string.sub, string.rep, table.concat, math.floor

local default_sizes = { b = 1, h = 2, i = 4, l = 8, j = 8, T = 8, f = 4, d = 8, n = 8 }

local function each_item(format, visit)
  local little, max_align, position = true, 1, 1
  format = format:gsub(" ", "")
  while position <= #format do
    local letter, digits, after = format:match("^(.)(%d*)()", position)
    position = after
    local size = tonumber(digits)
    if letter == "<" or letter == "=" then
      little = true
    elseif letter == ">" then
      little = false
    elseif letter == "!" then
      max_align = size or 8
    elseif letter == "x" then
      visit("padding", 1, 1, little)
    elseif letter == "z" then
      visit("zero", 0, 1, little)
    elseif letter == "s" then
      size = size or 8
      visit("string", size, size <= max_align and size or max_align, little)
    elseif letter == "c" then
      if not size then error("missing size for format option 'c'", 3) end
      visit("fixed", size, 1, little)
    elseif letter == "f" or letter == "d" or letter == "n" then
      size = default_sizes[letter]
      visit("float", size, size <= max_align and size or max_align, little)
    else
      local base = default_sizes[letter:lower()] or default_sizes[letter]
      if not base then error("invalid format option '" .. letter .. "'", 3) end
      if letter:lower() == "i" and size then base = size end
      if base < 1 or base > 16 then
        error("integral size (" .. base .. ") out of limits [1,16]", 3)
      end
      local kind = (letter == letter:lower()) and "signed" or "unsigned"
      visit(kind, base, base <= max_align and base or max_align, little)
    end
  end
end

local function padding_for(position, alignment)
  return alignment > 1 and (alignment - (position - 1) % alignment) % alignment or 0
end

local function integer_bytes(value, size, little)
  local bytes = {}
  if value < 0 then value = value + 2 ^ (size * 8) end
  for i = 1, size do
    local low = value % 256
    bytes[little and i or size - i + 1] = char(low)
    value = (value - low) / 256
  end
  return concat(bytes)
end

local function read_integer(text, position, size, little, signed)
  local value = 0
  for i = 1, size do
    value = value * 256 + byte(text, little and position + size - i or position + i - 1)
  end
  if signed and value >= 2 ^ (size * 8 - 1) then value = value - 2 ^ (size * 8) end
  return value
end

local function float_parts(size)
  if size == 4 then return 23, 127 end
  return 52, 1023
end

local function float_bytes(value, size, little)
  local bits, bias = float_parts(size)
  local sign = (value < 0 or 1 / value < 0) and 1 or 0
  local exponent, fraction
  if value ~= value then
    sign, exponent, fraction = 0, 2 * bias + 1, 2 ^ (bits - 1)
  elseif value == math.huge or value == -math.huge then
    exponent, fraction = 2 * bias + 1, 0
  elseif value == 0 then
    exponent, fraction = 0, 0
  else
    local mantissa
    mantissa, exponent = math.frexp(value < 0 and -value or value)
    exponent = exponent + bias - 1
    if exponent <= 0 then
      fraction, exponent = floor(mantissa * 2 ^ (bits + exponent) + 0.5), 0
    else
      fraction = floor((mantissa * 2 - 1) * 2 ^ bits + 0.5)
    end
  end
  -- In two halves: 64 bits do not fit into a number.
  local high_bits = bits - 32 > 0 and bits - 32 or 0
  if high_bits == 0 then
    return integer_bytes(sign * 2 ^ 31 + exponent * 2 ^ bits + fraction, 4, little)
  end
  local low = fraction % 2 ^ 32
  local high = sign * 2 ^ 31 + exponent * 2 ^ high_bits + (fraction - low) / 2 ^ 32
  local first, second = integer_bytes(low, 4, little), integer_bytes(high, 4, little)
  return little and first .. second or second .. first
end

local function read_float(text, position, size, little)
  local bits, bias = float_parts(size)
  local high, low
  if size == 4 then
    high, low = read_integer(text, position, 4, little, false), 0
  else
    low = read_integer(text, little and position or position + 4, 4, little, false)
    high = read_integer(text, little and position + 4 or position, 4, little, false)
  end
  local high_bits = size == 4 and bits or bits - 32
  local sign = high >= 2 ^ 31 and -1 or 1
  local exponent = floor(high / 2 ^ high_bits) % (2 * bias + 2)
  local fraction = high % 2 ^ high_bits
  if size == 8 then fraction = fraction * 2 ^ 32 + low end
  if exponent == 2 * bias + 1 then return fraction == 0 and sign * math.huge or 0 / 0 end
  if exponent == 0 then return sign * math.ldexp(fraction, 1 - bias - bits) end
  return sign * math.ldexp(1 + fraction / 2 ^ bits, exponent - bias)
end

function string.pack(format, ...)
  local values, count, used, out, length = { ... }, select("#", ...), 0, {}, 0

  local function put(text)
    out[#out + 1] = text
    length = length + #text
  end

  each_item(format, function(kind, size, alignment, little)
    put(rep("\0", padding_for(length + 1, alignment)))
    if kind == "padding" then return put("\0") end
    used = used + 1
    local value = values[used]
    if used > count then error("bad argument #" .. used + 1 .. " to 'pack' (no value)", 3) end
    if kind == "signed" or kind == "unsigned" then
      put(integer_bytes(value, size, little))
    elseif kind == "float" then
      put(float_bytes(value, size, little))
    elseif kind == "fixed" then
      if #value > size then error("string longer than given size", 3) end
      put(value .. rep("\0", size - #value))
    elseif kind == "zero" then
      put(value .. "\0")
    else
      put(integer_bytes(#value, size, little))
      put(value)
    end
  end)
  return concat(out)
end

function string.packsize(format)
  local length = 0
  each_item(format, function(kind, size, alignment)
    if kind == "zero" or kind == "string" then error("variable-size format in packsize", 3) end
    length = length + padding_for(length + 1, alignment) + size
  end)
  return length
end

function string.unpack(format, text, position)
  local out = {}
  position = position or 1
  if position < 0 then position = #text + position + 1 end

  local function need(size)
    if position + size - 1 > #text then error("data string too short", 4) end
  end

  each_item(format, function(kind, size, alignment, little)
    position = position + padding_for(position, alignment)
    if kind == "zero" then
      local stop = text:find("\0", position, true)
      if not stop then error("unfinished string for format 'z'", 3) end
      out[#out + 1] = sub(text, position, stop - 1)
      position = stop + 1
      return
    end
    need(size)
    if kind == "float" then
      out[#out + 1] = read_float(text, position, size, little)
    elseif kind == "fixed" then
      out[#out + 1] = sub(text, position, position + size - 1)
    elseif kind == "string" then
      local length = read_integer(text, position, size, little, false)
      position = position + size
      need(length)
      out[#out + 1] = sub(text, position, position + length - 1)
      position = position + length
      return
    elseif kind ~= "padding" then
      out[#out + 1] = read_integer(text, position, size, little, kind == "signed")
    end
    position = position + size
  end)
  out[#out + 1] = position
  return unpack(out, 1, #out)
end
