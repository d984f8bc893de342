local k = ...

-- Since 1.115 an uncaught error keeps the coroutine it came from.
local exception = {
  __name = "exception",
  __tostring = function(self)
    return self.message
  end,
}

local function is_caught()
  local level = 2
  while true do
    local info = debug.getinfo(level, "f")
    if not info then return false end
    if info.func == pcall or info.func == xpcall then return true end
    level = level + 1
  end
end

local function fail(message, co)
  if k.info.parallelExceptions and type(message) == "string" and not is_caught() then
    error(setmetatable({ message = message, thread = co }, exception), 0)
  end
  error(message, 0)
end
local function start(functions)
  local routines = {}
  for i = 1, functions.n do
    if type(functions[i]) ~= "function" then
      error("bad argument #" .. i .. " (function expected, got " .. type(functions[i]) .. ")", 3)
    end
    routines[i] = { co = coroutine.create(functions[i]) }
  end
  return routines
end

local function run_until(routines, limit)
  local count, alive = #routines, #routines
  if count < 1 then return 0 end
  local event = { n = 0 }
  while true do
    for i = 1, count do
      local routine = routines[i]
      if
        routine and (routine.filter == nil or routine.filter == event[1] or event[1] == "terminate")
      then
        local ok, result = coroutine.resume(routine.co, table.unpack(event, 1, event.n))
        if not ok then fail(result, routine.co) end
        routine.filter = result
        if coroutine.status(routine.co) == "dead" then
          routines[i] = false
          alive = alive - 1
          if alive <= limit then return i end
        end
      end
    end
    event = table.pack(os.pullEventRaw())
  end
end

function waitForAny(...)
  local routines = start(table.pack(...))
  return run_until(routines, #routines - 1)
end

function waitForAll(...)
  return run_until(start(table.pack(...)), 0)
end
