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

--- Keys of a tool and of a field, and what is often written for them.
local TOOL_KEYS = { name = true, description = true, input = true, run = true }
local FIELD_KEYS = {
  type = true,
  default = true,
  optional = true,
  enum = true,
  items = true,
  properties = true,
}
for word in pairs(WORDS) do
  FIELD_KEYS[word] = true
end
local MEANT = {
  input = "inputSchema input_schema inputs parameters params arguments args schema properties",
  run = "handler func fn execute call callback action main invoke",
  description = "desc summary help text doc",
  optional = "required",
  enum = "values choices options",
  minimum = "min",
  maximum = "max",
}

local function fail(text)
  error({ offered = text }, 0)
end

local function meant(key, known)
  for right, wrong in pairs(MEANT) do
    if known[right] and string.find(" " .. wrong .. " ", " " .. key .. " ", 1, true) then
      return right
    end
  end
end

local function check_keys(where, given, known)
  for key in pairs(given) do
    if not known[key] then
      local name = string.sub(tostring(key), 1, MAX_NAME)
      local right = meant(name, known)
      local hint = right and ": did you mean " .. right .. "?" or ""
      if right == "optional" then hint = ": each argument is, unless it has optional = true" end
      fail(where .. " has an unknown key " .. name .. hint)
    end
  end
end

local function plain(value)
  return values.plain({ n = 1, value }, 1, LIMITS)[1]
end

local read_fields

local function read_field(where, field, depth)
  if type(field) == "string" then field = { type = field } end
  if type(field) ~= "table" then fail(where .. ' must be a table such as { type = "integer" }') end
  if depth > MAX_DEPTH then fail(where .. " is nested too deeply") end
  check_keys(where, field, FIELD_KEYS)
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
  if fields.type == "object" and type(fields.properties) == "table" then
    fail(where .. " names the arguments themselves: leave out type, properties and required")
  end
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
    fail(
      "it must return a table with description, input and run, but it returned "
        .. (definition == nil and "nothing" or "a " .. type(definition))
    )
  end
  check_keys("the tool", definition, TOOL_KEYS)
  if definition.name ~= nil and definition.name ~= name then
    fail("its name is that of its file, " .. name .. ": leave out the key name")
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
