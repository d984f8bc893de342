--- A tool: `{ description = "...", input = { ... }, run = function(args, context) ... end }`.

local json = require("mcp.json")
local values = require("mcp.values")

local MAX_NAME = 48
local MAX_DESCRIPTION = 1024
local MAX_FIELDS = 32
local MAX_DEPTH = 4
local MAX_SIZE = 8 * 1024
local LIMITS = { values = 64, entries = 64, bytes = 2048 }

local TYPES = {
  string = true,
  number = true,
  integer = true,
  boolean = true,
  array = true,
  object = true,
}

local WORDS = {
  description = "string",
  title = "string",
  minimum = "number",
  maximum = "number",
  minLength = "number",
  maxLength = "number",
  minItems = "number",
  maxItems = "number",
}

local function fail(text)
  error({ offered = text }, 0)
end

local function plain(value)
  return values.plain({ n = 1, value }, 1, LIMITS)[1]
end

local read_fields

local function read_field(where, field, depth)
  if type(field) == "string" then field = { type = field } end
  if type(field) ~= "table" then fail(where .. ' must be a table such as { type = "integer" }') end
  if depth > MAX_DEPTH then fail(where .. " is nested too deeply") end
  if not TYPES[field.type] then
    fail(where .. ".type must be string, number, integer, boolean, array or object")
  end
  local schema = { type = field.type }
  for word, kind in pairs(WORDS) do
    if field[word] ~= nil then
      if type(field[word]) ~= kind then fail(where .. "." .. word .. " must be a " .. kind) end
      schema[word] = field[word]
    end
  end
  if field.default ~= nil then schema.default = plain(field.default) end
  if field.enum ~= nil then
    if type(field.enum) ~= "table" then fail(where .. ".enum must be a list") end
    schema.enum =
      values.plain({ n = #field.enum, table.unpack(field.enum, 1, LIMITS.values) }, 1, LIMITS)
  end
  if field.items ~= nil then
    schema.items = read_field(where .. ".items", field.items, depth + 1)
  end
  if field.properties ~= nil then
    schema.properties, schema.required =
      read_fields(where .. ".properties", field.properties, depth + 1)
  end
  return schema
end

function read_fields(where, fields, depth)
  if type(fields) ~= "table" then fail(where .. " must be a table") end
  local properties, required, count = {}, json.array(), 0
  for name, field in pairs(fields) do
    if type(name) ~= "string" or not string.find(name, "^[%a_][%w_]*$") or #name > MAX_NAME then
      fail(where .. " must name its fields with letters, digits and _, not " .. tostring(name))
    end
    count = count + 1
    if count > MAX_FIELDS then fail(where .. " has more than " .. MAX_FIELDS .. " fields") end
    properties[name] = read_field(where .. "." .. name, field, depth)
    local optional = type(field) == "table" and (field.optional or field.default ~= nil)
    if not optional then required[#required + 1] = name end
  end
  table.sort(required)
  return properties, required[1] and required or nil
end

local function read_tool(name, definition)
  if type(name) ~= "string" or not string.find(name, "^[%a][%w_-]*$") or #name > MAX_NAME then
    fail(
      "a tool's name must be a letter, then letters, digits, - and _, at most "
        .. MAX_NAME
        .. " in total"
    )
  end
  if type(definition) ~= "table" then
    fail("it must return a table with description, input and run")
  end
  if type(definition.run) ~= "function" then fail("run must be a function(args, context)") end
  if type(definition.description) ~= "string" or definition.description == "" then
    fail("description must say what the tool does")
  end
  local properties, required = read_fields("input", definition.input or {}, 1)
  local offer = {
    name = name,
    description = string.sub(definition.description, 1, MAX_DESCRIPTION),
    inputSchema = { type = "object", properties = properties, required = required },
  }
  local text = json.encode(offer)
  if #text > MAX_SIZE then
    fail("its description and input are longer than " .. MAX_SIZE .. " bytes")
  end
  return { name = name, offer = offer, text = text, run = definition.run }
end

local function read(name, definition)
  local ok, tool = pcall(read_tool, name, definition)
  if ok then return tool end
  if type(tool) == "table" and tool.offered then return nil, tool.offered end
  return nil, tostring(tool)
end

local function arguments(tool, given)
  local args = {}
  for name, value in pairs(type(given) == "table" and given or {}) do
    args[name] = value
  end
  for name, field in pairs(tool.offer.inputSchema.properties) do
    if args[name] == nil then args[name] = field.default end
  end
  for _, name in ipairs(tool.offer.inputSchema.required or {}) do
    if args[name] == nil then return nil, "the argument " .. name .. " is missing" end
  end
  return args
end

return { read = read, arguments = arguments }
