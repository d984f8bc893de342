-- Turns PUC Lua 5.2 into Cobalt's dialect.
local k = ...
local error, type, tostring, rawget, select = error, type, tostring, rawget, select
local raw_load, raw_tostring, raw_setmetatable = load, tostring, setmetatable
local raw_pairs, raw_pcall, raw_metatable = pairs, pcall, debug.getmetatable
local concat = table.concat
local getinfo, getupvalue, upvaluejoin = debug.getinfo, debug.getupvalue, debug.upvaluejoin
local globals = _G

local info = k.host.fn("sys.info")()
k.info = info

local function env_upvalue(fn)
  for i = 1, 255 do
    local name, value = getupvalue(fn, i)
    if not name then return nil end
    if name == "_ENV" then return i, value end
  end
end

local function function_at(target, level)
  if type(target) == "function" then return target end
  local frame = getinfo((target or 1) + level, "f")
  if not frame then error("bad argument #1 (invalid level)", level) end
  return frame.func
end

function getfenv(target)
  if target == 0 then return globals end
  local fn = function_at(target, 2)
  local index, env = env_upvalue(fn)
  return index and env or globals
end

function setfenv(target, env)
  local fn = function_at(target, 2)
  local index = env_upvalue(fn)
  if not index then error("'setfenv' cannot change environment of given object", 2) end
  -- A fresh cell, so that other functions that share the upvalue keep their environment.
  upvaluejoin(fn, index, function()
    return env
  end, 1)
  return fn
end

-- C would call the reader where it cannot yield; in Cobalt it may.
local function read_all(reader)
  local pieces = {}
  while true do
    local ok, piece = raw_pcall(reader)
    if not ok then return nil, piece end
    if piece == nil or piece == "" then return concat(pieces) end
    if type(piece) ~= "string" then return nil, "reader function must return a string" end
    pieces[#pieces + 1] = piece
  end
end

local function load_text(chunk, name, mode, env)
  if mode ~= nil and not mode:find("t", 1, true) then
    return nil, "attempt to load a text chunk (mode is '" .. mode .. "')"
  end
  if type(chunk) == "string" then
    name = name or chunk
  else
    name = name or "=(load)"
    if type(chunk) == "function" then
      local text, problem = read_all(chunk)
      if not text then return nil, problem end
      chunk = text
    end
  end
  return raw_load(chunk, name, "t", env)
end

function load(chunk, name, mode, env)
  return load_text(chunk, name, mode, env or globals)
end
function loadstring(chunk, name)
  return load_text(chunk, name, nil, globals)
end

local function metamethod(value, name)
  local metatable = raw_metatable(value)
  return metatable and rawget(metatable, name)
end

-- Depends on the version of Cobalt; see `numberFormat` in the host.
local function number_text(value)
  if value ~= value then return "nan" end
  if info.wholeNumbersInFull and value % 1 == 0 and value > -2 ^ 63 and value < 2 ^ 63 then
    return ("%.0f"):format(value)
  end
  return raw_tostring(value)
end

function _G.tostring(...)
  local value = ...
  if type(value) == "number" then return number_text(value) end
  if select("#", ...) == 0 then error("bad argument #1 to 'tostring' (value expected)", 2) end
  local own = metamethod(value, "__tostring")
  if own then return (own(value)) end
  return raw_tostring(value)
end

function _G.pairs(...)
  local value = ...
  local own = metamethod(value, "__pairs")
  if own then
    local step, state, first = own(value)
    return step, state, first
  end
  if type(value) ~= "table" then
    local kind = select("#", ...) == 0 and "no value" or type(value)
    error("bad argument #1 to 'pairs' (table expected, got " .. kind .. ")", 2)
  end
  return raw_pairs(value)
end

function assert(...)
  local value, message = ...
  if value then return ... end
  if select("#", ...) < 2 then message = "assertion failed!" end
  error(message, type(message) == "string" and 2 or 0)
end

-- Cobalt has no finalizers; PUC Lua registers __gc when the metatable is set.
function setmetatable(object, metatable)
  if type(metatable) ~= "table" or rawget(metatable, "__gc") == nil then
    return raw_setmetatable(object, metatable)
  end
  local finalizer = rawget(metatable, "__gc")
  metatable.__gc = nil
  raw_setmetatable(object, metatable)
  metatable.__gc = finalizer
  return object
end
k.setmetatable = raw_setmetatable

string.dump = function()
  error("string.dump is not supported", 2)
end
unpack = table.unpack
k.collectgarbage = collectgarbage
for _, name in ipairs({
  "collectgarbage",
  "require",
  "package",
  "module",
  "io",
  "os",
  "dofile",
  "loadfile",
  "print",
}) do
  globals[name] = nil
end
if info.lua51 then
  coroutine.isyieldable, table.move = nil, nil
  local running = coroutine.running
  coroutine.running = function()
    return (running())
  end
end

_VERSION = info.lua51 and "Lua 5.1" or "Lua 5.2"
_HOST = info.host
_CC_DEFAULT_SETTINGS = info.defaultSettings
