--- Runs Lua as the Lua prompt does: as an expression first, then as statements.

local json = require("mcp.json")
local raw = require("mcp.raw")
local values = require("mcp.values")

local CHUNK = "exec-lua"
local MAX_ERROR = 16 * 1024

--- Globals of the code are discarded when it ends; `_G.name = value` persists.
-- @tparam string|nil dir where `require` looks; the shell's by default
local function environment(dir)
  local env = setmetatable({ shell = shell, multishell = multishell }, { __index = _G })
  local found, cc_require = pcall(require, "cc.require")
  if found and type(cc_require) == "table" then
    env.require, env.package = cc_require.make(env, dir or (shell and shell.dir()) or "")
  else
    env.require = require
  end
  return env
end

local function compile(code)
  local env = environment()
  local chunk = load("return " .. code, "=" .. CHUNK, "t", env)
  if chunk then return chunk end
  return load(code, "=" .. CHUNK, "t", env)
end

local function traceback(co)
  -- All files of this program have the same folder.
  local own = string.match(debug.getinfo(1, "S").short_src, "^.*/") or "mcp-computer/"
  local kept, last = {}, 0
  for line in string.gmatch(debug.traceback(co), "[^\n]+") do
    if not string.find(line, "\t" .. own, 1, true) then
      kept[#kept + 1] = line
      if string.find(line, CHUNK .. ":", 1, true) then last = #kept end
    end
  end
  -- Hooks raise through error(): omit that frame.
  if kept[2] and string.find(kept[2], "in function 'error'", 1, true) and last > 2 then
    table.remove(kept, 2)
    last = last - 1
  end
  if last == 0 then return nil end
  return table.concat(kept, "\n", 1, last)
end

--- Instruction limit for a foreign __tostring.
local MAX_TEXT_COUNT = 1000000

--- Runs a foreign __tostring; nil when it takes too long.
local function text_of(value)
  local own = values.own_tostring(value)
  if not own then return tostring(value) end
  local co = raw.create(function()
    return own(value)
  end)
  if debug and debug.sethook then
    -- A coroutine that yields in a hook is abandoned, so the code cannot catch this.
    pcall(debug.sethook, co, function()
      raw.yield()
    end, "", MAX_TEXT_COUNT)
  end
  local ok, text = raw.resume(co)
  return ok and type(text) == "string" and text or nil
end

--- @param problem any error value
-- @tparam thread co the dead coroutine, for the traceback
local function explain_error(problem, co)
  local message
  if type(problem) == "table" and type(problem.message) == "string" then
    -- parallel wraps errors since CC:Tweaked 1.115.
    message = problem.message
    if type(problem.thread) == "thread" then co = problem.thread end
  elseif type(problem) == "table" and not values.own_tostring(problem) then
    message = "error value: " .. json.encode(values.describe({ n = 1, problem })[1].value)
  else
    message = text_of(problem) or "an error without a message"
  end
  local trace = debug and debug.traceback and traceback(co)
  local text = trace and message .. "\n" .. trace or message
  return #text > MAX_ERROR and values.cut(text, MAX_ERROR) .. "..." or text
end

return { compile = compile, environment = environment, explain_error = explain_error }
