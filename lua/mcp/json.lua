--- JSON with ASCII output. textutils is not used: its encoder throws on shared tables, writes UTF-8
-- as Latin-1 and cannot write an empty list; its decoder splits surrogate pairs, returns a
-- read-only `[]` and walks strings byte by byte before CC:Tweaked 1.113, too slow for a 4 MiB
-- frame in seven seconds.

local base64 = require("mcp.base64")

local byte, char, find, format, gsub, sub =
  string.byte, string.char, string.find, string.format, string.gsub, string.sub
local concat = table.concat
local floor = math.floor

local array_mt = {}

--- Marks a field that must be null: nil would omit it.
local null = function() end

--- Marks a list, so that an empty one is written as `[]`.
local function array(list)
  return setmetatable(list or {}, array_mt)
end

local function is_utf8(text)
  local at = find(text, "[\128-\255]")
  while at do
    local a, b, c, d = byte(text, at, at + 3)
    local size
    if a >= 0xC2 and a <= 0xDF then
      size = 2
    elseif a >= 0xE0 and a <= 0xEF then
      size = 3
    elseif a >= 0xF0 and a <= 0xF4 then
      size = 4
    else
      return false
    end
    if not b or b < 0x80 or b > 0xBF then return false end
    if size > 2 and (not c or c < 0x80 or c > 0xBF) then return false end
    if size > 3 and (not d or d < 0x80 or d > 0xBF) then return false end
    if (a == 0xE0 and b < 0xA0) or (a == 0xED and b > 0x9F) then return false end
    if (a == 0xF0 and b < 0x90) or (a == 0xF4 and b > 0x8F) then return false end
    at = find(text, "[\128-\255]", at + size)
  end
  return true
end

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\127"] = "\\u007f" }
for code = 0, 31 do
  escapes[char(code)] = format("\\u%04x", code)
end
escapes["\n"], escapes["\r"], escapes["\t"] = "\\n", "\\r", "\\t"

local function escape_sequence(sequence)
  local a, b, c, d = byte(sequence, 1, 4)
  if d then
    local code = (a - 0xF0) * 0x40000
      + (b - 0x80) * 0x1000
      + (c - 0x80) * 0x40
      + (d - 0x80)
      - 0x10000
    return format("\\u%04x\\u%04x", 0xD800 + floor(code / 0x400), 0xDC00 + code % 0x400)
  elseif c then
    return format("\\u%04x", (a - 0xE0) * 0x1000 + (b - 0x80) * 0x40 + (c - 0x80))
  end
  return format("\\u%04x", (a - 0xC0) * 0x40 + (b - 0x80))
end

--- Bounds the time of one gsub, which nothing can interrupt.
local PIECE = 4096

local function end_of_piece(text, from)
  local stop = from + PIECE - 1
  local following = byte(text, stop + 1)
  while following and following >= 0x80 and following <= 0xBF do
    stop = stop - 1
    following = byte(text, stop + 1)
  end
  return stop
end

local ESCAPED = { "\\", '"', "\n", "\r", "\t" }

--- For ASCII. A gsub for each character takes less time than one for all.
local function escape_plain(text)
  for _, letter in ipairs(ESCAPED) do
    if find(text, letter, 1, true) then text = gsub(text, letter, escapes[letter]) end
  end
  return text
end

--- Bytes that are not UTF-8 become `base64:...`; callers that care encode them first.
local function encode_string(text)
  -- Matches from the beginning: to search for anything else takes several times as long.
  local _, unchanged = find(text, "^[]-~ !#-[]*")
  if unchanged == #text then return '"' .. text .. '"' end
  local _, plain = find(text, "^[ -~\t\n\r]*")
  if plain == #text then return '"' .. escape_plain(text) .. '"' end
  if not is_utf8(text) then return '"base64:' .. base64.encode(text) .. '"' end
  local pieces, from = { '"' }, 1
  while from <= #text do
    local stop = end_of_piece(text, from)
    local piece = gsub(sub(text, from, stop), '[%c"\\\127]', escapes)
    pieces[#pieces + 1] = gsub(piece, "[\194-\244][\128-\191]+", escape_sequence)
    from = stop + 1
  end
  pieces[#pieces + 1] = '"'
  return concat(pieces)
end

--- Numbers that JSON lacks (not finite, or whole and above 2^53) become strings.
local function encode_number(number)
  if number ~= number then return '"nan"' end
  if number == math.huge then return '"inf"' end
  if number == -math.huge then return '"-inf"' end
  local whole = number == floor(number)
  if whole and number <= 2 ^ 53 and number >= -2 ^ 53 then return format("%.0f", number) end
  local text
  if whole and number < 1e21 and number > -1e21 then
    text = format("%.0f", number)
  else
    text = tostring(number)
    if tonumber(text) ~= number then text = format("%.17g", number) end
  end
  return whole and '"' .. text .. '"' or text
end

local encode_into

local function encode_table(value, out)
  if getmetatable(value) == array_mt or value[1] ~= nil then
    out[#out + 1] = "["
    for index = 1, #value do
      if index > 1 then out[#out + 1] = "," end
      encode_into(value[index], out)
    end
    out[#out + 1] = "]"
    return
  end
  local keys = {}
  for key in next, value do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  out[#out + 1] = "{"
  for index = 1, #keys do
    if index > 1 then out[#out + 1] = "," end
    out[#out + 1] = encode_string(keys[index])
    out[#out + 1] = ":"
    encode_into(value[keys[index]], out)
  end
  out[#out + 1] = "}"
end

function encode_into(value, out)
  local kind = type(value)
  if kind == "string" then
    out[#out + 1] = encode_string(value)
  elseif kind == "number" then
    out[#out + 1] = encode_number(value)
  elseif kind == "boolean" then
    out[#out + 1] = tostring(value)
  elseif kind == "table" then
    encode_table(value, out)
  else
    out[#out + 1] = "null"
  end
end

local function encode(value)
  local out = {}
  encode_into(value, out)
  return concat(out)
end

local unescapes = {
  ['"'] = '"',
  ["\\"] = "\\",
  ["/"] = "/",
  b = "\b",
  f = "\f",
  n = "\n",
  r = "\r",
  t = "\t",
}

local function utf8_char(code)
  if code < 0x80 then return char(code) end
  if code < 0x800 then return char(0xC0 + floor(code / 0x40), 0x80 + code % 0x40) end
  if code < 0x10000 then
    return char(0xE0 + floor(code / 0x1000), 0x80 + floor(code / 0x40) % 0x40, 0x80 + code % 0x40)
  end
  return char(
    0xF0 + floor(code / 0x40000),
    0x80 + floor(code / 0x1000) % 0x40,
    0x80 + floor(code / 0x40) % 0x40,
    0x80 + code % 0x40
  )
end

local function fail(at, what)
  error({ json = "bad JSON at byte " .. at .. ": " .. what }, 0)
end

local function decode_unicode(text, at)
  local high = tonumber(sub(text, at + 1, at + 4), 16)
  if not high or not find(text, "^%x%x%x%x", at + 1) then fail(at, "bad \\u escape") end
  local following = at + 5
  if high >= 0xD800 and high < 0xDC00 then
    local low = find(text, "^\\u[dD][c-fC-F]%x%x", following)
      and tonumber(sub(text, following + 2, following + 5), 16)
    if low then
      return utf8_char(0x10000 + (high - 0xD800) * 0x400 + (low - 0xDC00)), following + 6
    end
  end
  return utf8_char(high), following
end

local function decode_string(text, at)
  local pieces, count = {}, 0
  while true do
    local stop = find(text, '["\\]', at)
    if not stop then fail(at, "unfinished string") end
    if stop > at then
      count = count + 1
      pieces[count] = sub(text, at, stop - 1)
    end
    if byte(text, stop) == 34 then return concat(pieces), stop + 1 end
    local letter = sub(text, stop + 1, stop + 1)
    local plain = unescapes[letter]
    if letter == "u" then
      plain, at = decode_unicode(text, stop + 1)
    elseif plain then
      at = stop + 2
    else
      fail(stop, "bad escape")
    end
    count = count + 1
    pieces[count] = plain
  end
end

local MAX_DEPTH = 100
local literals = { ["true"] = true, ["false"] = false }
local decode_value

local function decode_object(text, at, depth)
  local object = {}
  at = find(text, "[^ \t\r\n]", at)
  if at and byte(text, at) == 125 then return object, at + 1 end
  while true do
    if not at or byte(text, at) ~= 34 then fail(at or #text, "expected a key") end
    local key, value
    key, at = decode_string(text, at + 1)
    at = find(text, "[^ \t\r\n]", at)
    if not at or byte(text, at) ~= 58 then fail(at or #text, "expected ':'") end
    value, at = decode_value(text, at + 1, depth)
    object[key] = value
    at = find(text, "[^ \t\r\n]", at)
    local mark = at and byte(text, at)
    if mark == 125 then return object, at + 1 end
    if mark ~= 44 then fail(at or #text, "expected ',' or '}'") end
    at = find(text, "[^ \t\r\n]", at + 1)
  end
end

local function decode_array(text, at, depth)
  local list, count = {}, 0
  at = find(text, "[^ \t\r\n]", at)
  if at and byte(text, at) == 93 then return list, at + 1 end
  while true do
    count = count + 1
    list[count], at = decode_value(text, at or #text + 1, depth)
    at = find(text, "[^ \t\r\n]", at)
    local mark = at and byte(text, at)
    if mark == 93 then return list, at + 1 end
    if mark ~= 44 then fail(at or #text, "expected ',' or ']'") end
    at = at + 1
  end
end

function decode_value(text, at, depth)
  if depth > MAX_DEPTH then fail(at, "too deep") end
  at = find(text, "[^ \t\r\n]", at)
  local mark = at and byte(text, at)
  if mark == 34 then return decode_string(text, at + 1) end
  if mark == 123 then return decode_object(text, at + 1, depth + 1) end
  if mark == 91 then return decode_array(text, at + 1, depth + 1) end
  local _, stop, word = find(text, "^([%w%+%-%.]+)", at or #text + 1)
  if not word then fail(at or #text, "expected a value") end
  if word == "null" then return nil, stop + 1 end
  if literals[word] ~= nil then return literals[word], stop + 1 end
  local number = find(word, "^%-?%d") and not find(word, "[xX]") and tonumber(word)
  if not number then fail(at, "expected a value") end
  return number, stop + 1
end

local function decode(text)
  local ok, value, at = pcall(decode_value, text, 1, 0)
  if not ok then
    -- Rethrow everything but our own errors, such as the game's time limit.
    if type(value) == "table" and value.json then return nil, value.json end
    error(value, 0)
  end
  if find(text, "[^ \t\r\n]", at) then
    return nil, "bad JSON at byte " .. at .. ": trailing text"
  end
  return value
end

return { array = array, null = null, encode = encode, decode = decode, is_utf8 = is_utf8 }
