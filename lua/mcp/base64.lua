--- Base64, one way: bytes that JSON cannot carry as text.

local byte, gsub, sub = string.byte, string.gsub, string.sub
local floor = math.floor

local digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
-- Two digits for each 12-bit number: two lookups instead of four for every three bytes.
local pairs_of = {}
for high = 0, 63 do
  for low = 0, 63 do
    pairs_of[high * 64 + low] = sub(digits, high + 1, high + 1) .. sub(digits, low + 1, low + 1)
  end
end

local function encode_three(group)
  local a, b, c = byte(group, 1, 3)
  return pairs_of[a * 16 + floor(b / 16)] .. pairs_of[b % 16 * 256 + c]
end

--- The base64 of a byte string, padded.
local function encode(bytes)
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

return { encode = encode }
