local expect = dofile("rom/modules/main/cc/expect.lua").expect
local k = ...

local json = k.load_file("bios/json.lua")(expect, k)
serializeJSON, serialiseJSON = json.serialize, json.serialize
unserializeJSON, unserialiseJSON = json.unserialize, json.unserialize
empty_json_array, json_null = json.empty_array, json.null

function slowWrite(text, rate)
  local delay = 1 / (rate or 20)
  text = tostring(text)
  for i = 1, #text do
    sleep(delay)
    write(text:sub(i, i))
  end
end

function slowPrint(text, rate)
  slowWrite(text, rate)
  print()
end

function formatTime(time, twenty_four)
  expect(1, time, "number")
  local hour = math.floor(time)
  local minute = math.floor((time - hour) * 60)
  if twenty_four then return ("%d:%02d"):format(hour, minute) end
  local suffix = hour >= 12 and "PM" or "AM"
  return ("%d:%02d %s"):format((hour - 1) % 12 + 1, minute, suffix)
end

function pagedPrint(text)
  return print(text)
end

local function tabulate_rows(rows)
  for _, row in ipairs(rows) do
    if type(row) == "number" then
      term.setTextColour(row)
    else
      local cells = {}
      for i, cell in ipairs(row) do
        cells[i] = tostring(cell)
      end
      print(table.concat(cells, "  "))
    end
  end
end

function tabulate(...)
  tabulate_rows({ ... })
end
function pagedTabulate(...)
  tabulate_rows({ ... })
end

local keywords = {}
local keyword_list = "and break do else elseif end false for function goto if in local nil not or "
  .. "repeat return then true until while"
for word in keyword_list:gmatch("%a+") do
  keywords[word] = true
end

local function serialize_value(value, seen, indent, options)
  local kind = type(value)
  if kind == "string" then return ("%q"):format(value) end
  if kind == "number" then
    if value ~= value then return "0/0" end
    if value == math.huge then return "1/0" end
    if value == -math.huge then return "-1/0" end
    return tostring(value)
  end
  if kind == "boolean" or kind == "nil" then return tostring(value) end
  if kind ~= "table" then error("Cannot serialize type " .. kind, 0) end
  if seen[value] ~= nil then
    error(
      "Cannot serialize table with " .. (seen[value] and "recursive" or "repeated") .. " entries",
      0
    )
  end
  seen[value] = true
  if next(value) == nil then
    if options.allow_repetitions then
      seen[value] = nil
    else
      seen[value] = false
    end
    return "{}"
  end
  local compact = options.compact
  local break_text = compact and "" or "\n"
  local inner = compact and "" or indent .. "  "
  local out, done = { "{" .. break_text }, {}
  for index, field in ipairs(value) do
    done[index] = true
    out[#out + 1] = inner .. serialize_value(field, seen, inner, options) .. "," .. break_text
  end
  for key, field in pairs(value) do
    if not done[key] then
      local entry
      if type(key) == "string" and not keywords[key] and key:match("^[%a_][%a%d_]*$") then
        entry = key .. (compact and "=" or " = ")
      else
        entry = "["
          .. (compact and "" or " ")
          .. serialize_value(key, seen, inner, options)
          .. (compact and "]=" or " ] = ")
      end
      out[#out + 1] = inner
        .. entry
        .. serialize_value(field, seen, inner, options)
        .. ","
        .. break_text
    end
  end
  out[#out + 1] = (compact and "" or indent) .. "}"
  if options.allow_repetitions then
    seen[value] = nil
  else
    seen[value] = false
  end
  return table.concat(out)
end

function serialize(value, options)
  expect(2, options, "table", "nil")
  local ok, result = pcall(serialize_value, value, {}, "", options or {})
  if not ok then error(result, 2) end
  return result
end
serialise = serialize

function unserialize(text)
  expect(1, text, "string")
  local chunk = load("return " .. text, "unserialize", "t", {})
  if chunk then
    local ok, result = pcall(chunk)
    if ok then return result end
  end
  return nil
end
unserialise = unserialize

function urlEncode(text)
  expect(1, text, "string")
  return (
    text:gsub("\n", "\r\n"):gsub("[^A-Za-z0-9%-%_%.]", function(char)
      if char == " " then return "+" end
      return ("%%%02X"):format(char:byte())
    end)
  )
end

function complete()
  return {}
end
