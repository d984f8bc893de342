-- The globals that Java provides before the bios runs.
local k = ...
local host, encode, copy = k.host, k.wire.encode, k.wire.copy
local yield, error, type, pack, unpack = coroutine.yield, error, type, table.pack, table.unpack
local info = k.info

local function natives(prefix, names)
  local api = {}
  for name in names:gmatch("%S+") do
    api[name] = host.fn(prefix .. "." .. name)
  end
  return api
end

os = natives(
  "os",
  "getComputerID getComputerLabel setComputerLabel startTimer cancelTimer setAlarm cancelAlarm "
    .. "clock time day epoch date shutdown reboot"
)
os.computerID, os.computerLabel = os.getComputerID, os.getComputerLabel
function os.queueEvent(name, ...)
  if type(name) ~= "string" then
    error("bad argument #1 (string expected, got " .. type(name) .. ")", 2)
  end
  k.queue(name, copy(name, ...))
end

fs = natives(
  "fs",
  "exists isDir isReadOnly getName getDir combine list getSize attributes makeDir move copy delete "
    .. "getFreeSpace getCapacity getDrive find isDriveRoot open"
)

local file_collected = host.fn("file.collected")

function host.literal_env.file(id, methods)
  local ref = host.reference(file_collected, id)
  local handle = {}
  for name in methods:gmatch("%S+") do
    local call = host.fn("file." .. name)
    handle[name] = function(...)
      return call(ref.id, ...)
    end
  end
  return handle
end

term = natives(
  "term",
  "write scroll getCursorPos setCursorPos getCursorBlink setCursorBlink getSize clear clearLine "
    .. "getTextColour getTextColor setTextColour setTextColor getBackgroundColour getBackgroundColor "
    .. "setBackgroundColour setBackgroundColor isColour isColor blit setPaletteColour setPaletteColor "
    .. "getPaletteColour getPaletteColor nativePaletteColour nativePaletteColor"
)
do
  local write = term.write
  function term.write(text)
    local kind = type(text)
    write(kind == "string" and text or tostring(text))
  end
end

redstone = natives(
  "redstone",
  "getSides setOutput getOutput getInput setAnalogOutput getAnalogOutput getAnalogInput "
    .. "setBundledOutput getBundledOutput getBundledInput testBundledInput"
)
redstone.setAnalogueOutput, redstone.getAnalogueOutput =
  redstone.setAnalogOutput, redstone.getAnalogOutput
redstone.getAnalogueInput = redstone.getAnalogInput
rs = redstone

-- Main-thread work: waits for the task's event. If that is lost, the caller never resumes, as in
-- the game.
local function wait_for(event, id)
  while true do
    local result = pack(yield(event))
    if result[1] == "terminate" then error("Terminated", 0) end
    if result[1] == event and result[2] == id then return unpack(result, 3, result.n) end
  end
end
k.wait_for = wait_for

local function task_result(ok, ...)
  if ok then return ... end
  error((...), 2)
end

local native_peripherals = host.group("peripheral")
local native_call = host.fn("peripheral.call", true)
peripheral = {
  isPresent = native_peripherals.isPresent,
  getType = native_peripherals.getType,
  hasType = native_peripherals.hasType,
  getMethods = native_peripherals.getMethods,
  call = function(side, method, ...)
    local task, literal = native_call(side, method, encode(...))
    if task then return task_result(wait_for("task_complete", task)) end
    return host.load_literal(literal)
  end,
}

if info.http then k.load_file("kernel/http.lua")(k) end

if info.kind == "turtle" then
  turtle = {}
  local call = host.fn("turtle.call", true)
  for name in host.fn("turtle.methods")():gmatch("%S+") do
    turtle[name] = function(...)
      local id, literal = call(name, ...)
      if id then return wait_for("turtle_response", id) end
      return host.load_literal(literal)
    end
  end
elseif info.kind == "pocket" then
  pocket = natives("pocket", "equipBack unequipBack")
elseif info.kind == "command" then
  commands = natives("commands", "execAsync getBlockPosition list")
  local run = host.fn("commands.run", true)
  local function on_main_thread(method)
    return function(...)
      return task_result(wait_for("task_complete", run(method, ...)))
    end
  end
  commands.exec = on_main_thread("exec")
  commands.getBlockInfo = on_main_thread("getBlockInfo")
  commands.getBlockInfos = on_main_thread("getBlockInfos")
end
