-- JSON with CC's quirks: no empty arrays, holes as null, bytes as \u00XX, no number checks.
local expect, k = ...
local info = k.info

local empty_array = setmetatable({}, {
  __newindex = function()
    error("attempt to mutate textutils.empty_json_array", 2)
  end,
})
local null = setmetatable({}, {
  __newindex = function()
    error("attempt to mutate textutils.json_null", 2)
  end,
})

local escapes = {
  ['"'] = '\\"',
  ["\\"] = "\\\\",
  ["\b"] = "\\b",
  ["\f"] = "\\f",
  ["\n"] = "\\n",
  ["\r"] = "\\r",
  ["\t"] = "\\t",
}

local function escape_byte(char)
  return escapes[char] or ("\\u%04X"):format(char:byte())
end

local function quote_bytes(text)
  return '"' .. text:gsub('[%c"\\\127-\255]', escape_byte) .. '"'
end

local function quote_unicode(text)
  local out = {}
  for _, code in utf8.codes(text) do
    if code > 0xFFFF then
      local rest = code - 0x10000
      out[#out + 1] = ("\\u%04X\\u%04X"):format(
        0xD800 + math.floor(rest / 0x400),
        0xDC00 + rest % 0x400
      )
    elseif code >= 0x7F then
      out[#out + 1] = ("\\u%04X"):format(code)
    else
      out[#out + 1] = (string.char(code):gsub('[%c"\\]', escape_byte))
    end
  end
  return '"' .. table.concat(out) .. '"'
end

local function key_text(options, key)
  if options.nbt_style then return key end
  return options.quote(key)
end

local write_value

local function write_table(value, seen, options)
  if seen[value] ~= nil then
    error(
      "Cannot serialize table with " .. (seen[value] and "recursive" or "repeated") .. " entries",
      0
    )
  end
  seen[value] = true
  local result
  if next(value) == nil then
    result = "{}"
  else
    local fields, largest, has_string = {}, 0, false
    for key, field in pairs(value) do
      if type(key) == "string" then
        has_string = true
        fields[#fields + 1] = key_text(options, key) .. ":" .. write_value(field, seen, options)
      elseif type(key) == "number" and key > largest then
        largest = key
      end
    end
    if has_string then
      result = "{" .. table.concat(fields, ",") .. "}"
    elseif largest == 0 then
      result = "{}"
    else
      local items = {}
      for i = 1, largest do
        items[i] = value[i] == nil and "null" or write_value(value[i], seen, options)
      end
      result = "[" .. table.concat(items, ",") .. "]"
    end
  end
  if options.allow_repetitions then
    seen[value] = nil
  else
    seen[value] = false
  end
  return result
end

function write_value(value, seen, options)
  local kind = type(value)
  if value == empty_array then return "[]" end
  if value == null then return "null" end
  if kind == "string" then return options.quote(value) end
  if kind == "number" or kind == "boolean" then return tostring(value) end
  if kind == "table" then return write_table(value, seen, options) end
  error("Cannot serialize type " .. kind, 0)
end

local function serialize(value, options)
  expect(1, value, "table", "string", "number", "boolean")
  if info.jsonOptions then
    expect(2, options, "table", "boolean", "nil")
  else
    expect(2, options, "boolean", "nil")
  end
  if type(options) ~= "table" then options = { nbt_style = options == true } end
  local ok, result = pcall(write_value, value, {}, {
    nbt_style = options.nbt_style,
    allow_repetitions = info.jsonRepetitions and options.allow_repetitions,
    quote = options.unicode_strings and quote_unicode or quote_bytes,
  })
  if not ok then error(result, 2) end
  return result
end

local unescapes =
  { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }

local function fail(position, format, ...)
  error(
    { json_error = ("Malformed JSON at position %d: "):format(position) .. format:format(...) },
    0
  )
end

local function read_string(text, position)
  local out = {}
  while true do
    local stop = text:find('[%z\1-\31"\\]', position)
    if not stop then fail(#text + 1, "Unexpected end of input, expected '\"'.") end
    out[#out + 1] = text:sub(position, stop - 1)
    local char = text:sub(stop, stop)
    if char == '"' then return table.concat(out), stop + 1 end
    if char ~= "\\" then fail(stop + 1, "Unescaped whitespace %q.", char) end
    local kind = text:sub(stop + 1, stop + 1)
    if kind == "u" then
      local digits = text:match("^%x%x%x%x", stop + 2)
      if not digits then
        fail(stop + 1, "Malformed unicode escape %q.", text:sub(stop + 2, stop + 5))
      end
      -- Surrogate pairs are not joined: each half becomes three bytes.
      out[#out + 1] = utf8.char(tonumber(digits, 16))
      position = stop + 6
    elseif unescapes[kind] then
      out[#out + 1] = unescapes[kind]
      position = stop + 2
    elseif kind == "" then
      fail(#text + 1, "Unexpected end of input, expected escape sequence.")
    else
      fail(stop + 1, "Unknown escape character %q.", kind)
    end
  end
end

local read_value

local function skip(text, position)
  return text:match("^[ \n\r\t]*()", position)
end

local function unexpected(text, position, wanted)
  local char = text:sub(position, position)
  if char == "" then fail(position, "Unexpected end of input, expected %s.", wanted) end
  fail(position, "Unexpected character %q, expected %s.", char, wanted)
end

local function read_object(text, position, options)
  local result = {}
  position = skip(text, position)
  if text:sub(position, position) == "}" then return result, position + 1 end
  while true do
    local key
    if text:sub(position, position) == '"' then
      key, position = read_string(text, position + 1)
    elseif options.nbt_style then
      key, position = text:match("^([%w_+.-]+)()", position)
      if not key then unexpected(text, position, "object key") end
    else
      unexpected(text, position, "object key")
    end
    position = skip(text, position)
    if text:sub(position, position) ~= ":" then unexpected(text, position, "':'") end
    local value
    value, position = read_value(text, skip(text, position + 1), options)
    result[key] = value
    position = skip(text, position)
    local char = text:sub(position, position)
    if char == "}" then return result, position + 1 end
    if char ~= "," then unexpected(text, position, "',' or '}'") end
    position = skip(text, position + 1)
  end
end

local function read_array(text, position, options)
  position = skip(text, position)
  if text:sub(position, position) == "]" then
    return options.parse_empty_array and empty_array or {}, position + 1
  end
  local result, count = {}, 0
  while true do
    count = count + 1
    result[count], position = read_value(text, position, options)
    position = skip(text, position)
    local char = text:sub(position, position)
    if char == "]" then return result, position + 1 end
    if char ~= "," then unexpected(text, position, "',' or ']'") end
    position = skip(text, position + 1)
  end
end

function read_value(text, position, options)
  local char = text:sub(position, position)
  if char == "{" then return read_object(text, position + 1, options) end
  if char == "[" then return read_array(text, position + 1, options) end
  if char == '"' then return read_string(text, position + 1) end
  local digits, after = text:match("^(%-?%d+%.?%d*[eE]?[+-]?%d*)()", position)
  if digits then
    local value = tonumber(digits)
    if not value then fail(position, "Malformed number %q.", digits) end
    if options.nbt_style then after = text:match("^[bBsSlLfFdD]?()", after) end
    return value, after
  end
  local word, word_end = text:match("^(%a+)()", position)
  if word == "true" then return true, word_end end
  if word == "false" then return false, word_end end
  if word == "null" then
    if options.parse_null then return null, word_end end
    return nil, word_end
  end
  unexpected(text, position, "value")
end

local function unserialize(text, options)
  expect(1, text, "string")
  expect(2, options, "table", "nil")
  options = options or {}
  local parse_empty_array = options.parse_empty_array
  if parse_empty_array == nil or not info.jsonParseEmptyArray then parse_empty_array = true end
  local ok, result = pcall(function()
    local value, position = read_value(text, skip(text, 1), {
      nbt_style = options.nbt_style,
      parse_null = options.parse_null,
      parse_empty_array = parse_empty_array,
    })
    position = skip(text, position)
    if position <= #text then
      fail(position, "Unexpected trailing character %q.", text:sub(position, position))
    end
    return value
  end)
  if ok then return result end
  if type(result) == "table" and result.json_error then return nil, result.json_error end
  error(result, 0)
end

return { serialize = serialize, unserialize = unserialize, empty_array = empty_array, null = null }
