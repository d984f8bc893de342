local byte, char, gsub, sub = string.byte, string.char, string.gsub, string.sub
local floor = math.floor

local digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
-- Two digits per 12-bit number: two lookups instead of four for every three bytes.
local pairs_of

local function all_pairs()
  local list = {}
  for high = 0, 63 do
    for low = 0, 63 do
      list[high * 64 + low] = sub(digits, high + 1, high + 1) .. sub(digits, low + 1, low + 1)
    end
  end
  return list
end

local function encode_three(group)
  local a, b, c = byte(group, 1, 3)
  return pairs_of[a * 16 + floor(b / 16)] .. pairs_of[b % 16 * 256 + c]
end

local function encode(bytes)
  pairs_of = pairs_of or all_pairs()
  local whole = #bytes - #bytes % 3
  local text = gsub(sub(bytes, 1, whole), "...", encode_three)
  local a, b = byte(bytes, whole + 1, whole + 2)
  if b then
    text = text .. pairs_of[a * 16 + floor(b / 16)] .. sub(pairs_of[b % 16 * 4 * 64], 1, 1) .. "="
  elseif a then
    text = text .. pairs_of[a * 16] .. "=="
  end
  return text
end

local values = {}
for index = 1, 64 do
  values[byte(digits, index)] = index - 1
end

local function three_bytes(a, b, c, d)
  local number = ((values[a] * 64 + values[b]) * 64 + values[c]) * 64 + values[d]
  return char(floor(number / 65536), floor(number / 256) % 256, number % 256)
end

local function decode(text, turn)
  local body, padding = string.match(text, "^([%w+/]*)(=?=?)$")
  if not body or #text % 4 ~= 0 then return nil end
  local whole, pieces = #body - #body % 4, {}
  for at = 1, whole, 4 do
    pieces[#pieces + 1] = three_bytes(byte(body, at, at + 3))
    if turn and at % 4096 == 1 then turn() end
  end
  if padding ~= "" then
    local last = three_bytes(byte(sub(body, whole + 1) .. (padding == "=" and "A" or "AA"), 1, 4))
    pieces[#pieces + 1] = sub(last, 1, 3 - #padding)
  end
  return table.concat(pieces)
end

return { encode = encode, decode = decode }
