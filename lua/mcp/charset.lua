local json = require("mcp.json")

local function to_text(bytes)
  if json.is_utf8(bytes) then return bytes end
  return (
    string.gsub(bytes, "[\128-\255]", function(letter)
      local code = string.byte(letter)
      return string.char(0xC0 + math.floor(code / 64), 0x80 + code % 64)
    end)
  )
end

--- Whether non-UTF-8 bytes are probably text in the game's charset: printable, with no more bytes
-- beyond ASCII than within. Drawing characters do not count, since any binary data has such bytes.
local function is_text(bytes)
  if string.find(bytes, "[%z\1-\8\11\12\14-\31\127-\159]") then return false end
  local _, beyond = string.gsub(bytes, "[\160-\255]", "")
  return beyond * 2 <= #bytes
end

local function from_text(text)
  local missing = false
  local result = string.gsub(text, "[\194-\244][\128-\191]+", function(sequence)
    local first, second = string.byte(sequence, 1, 2)
    local code = (first - 0xC0) * 64 + second - 0x80
    if #sequence ~= 2 or code < 160 or code > 255 then
      missing = true
      return "?"
    end
    return string.char(code)
  end)
  return not missing and result or nil
end

return { to_text = to_text, is_text = is_text, from_text = from_text }
