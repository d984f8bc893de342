local expect, k = ...
local native_shutdown, native_reboot = os.shutdown, os.reboot

function os.version()
  return k.info.osVersion
end

function os.pullEventRaw(filter)
  return coroutine.yield(filter)
end

function os.pullEvent(filter)
  local event = table.pack(os.pullEventRaw(filter))
  if event[1] == "terminate" then error("Terminated", 0) end
  return table.unpack(event, 1, event.n)
end

function sleep(seconds)
  expect(1, seconds, "number", "nil")
  local timer = os.startTimer(seconds or 0)
  repeat
    local _, id = os.pullEvent("timer")
  until id == timer
end
os.sleep = sleep

local function wait_for_the_end()
  while true do
    coroutine.yield()
  end
end

function os.shutdown()
  native_shutdown()
  wait_for_the_end()
end

function os.reboot()
  native_reboot()
  wait_for_the_end()
end

function os.run(env, path, ...)
  expect(1, env, "table")
  expect(2, path, "string")
  setmetatable(env, { __index = _G })
  if settings.get("bios.strict_globals", false) then
    getmetatable(env).__newindex = function(_, name)
      error("Attempt to create global " .. tostring(name), 2)
    end
  end
  local program, err = loadfile(path, nil, env)
  if program then
    local ok, failure = pcall(program, ...)
    if ok then return true end
    if failure ~= nil and failure ~= "" then printError(failure) end
    return false
  end
  if err and err ~= "" then printError(err) end
  return false
end

function os.loadAPI(path)
  expect(1, path, "string")
  local name = fs.getName(path):gsub("%.lua$", "")
  local env = setmetatable({}, { __index = _G })
  local api, err = loadfile(path, nil, env)
  if not api then
    printError("Failed to load API " .. name .. " due to " .. tostring(err))
    return false
  end
  local ok, failure = pcall(api)
  if not ok then
    printError("Failed to load API " .. name .. " due to " .. tostring(failure))
    return false
  end
  local exported = {}
  for key, value in pairs(env) do
    if key ~= "_ENV" then exported[key] = value end
  end
  _G[name] = exported
  return true
end

function os.unloadAPI(name)
  expect(1, name, "string")
  if name ~= "_G" and type(_G[name]) == "table" then _G[name] = nil end
end
