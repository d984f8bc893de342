--- Replacing this program by the bridge's copy, and going back when that one does not link.
--
-- The old file is kept until the new program has linked. Until then the old program supervises the new one:
-- after an update the running one does, after a boot the boot entry starts the old file for it.

local brief = require("mcp.brief")
local program = require("mcp.program")

--- Seconds that a new program has to link while the bridge answers.
local TRIAL_SECONDS = 60

local FILE, OLD, NEW, OURS = program.FILE, program.OLD, program.NEW, program.OURS

--- The package manager that a copy of the program belongs to, if one does.
local function manager(file)
  local is_ccpm = string.find(file, "^/ccpm/") ~= nil
  local is_trapos = string.find(file, "^/programs/") ~= nil and fs.isDir("/trapos")
  if not is_ccpm and not is_trapos then return nil end
  return {
    name = is_ccpm and "CCPM" or "the ccpm of TrapOS",
    update = "ccpm upgrade mcp-computer",
    remove = "ccpm uninstall mcp-computer",
  }
end

local function http_url(url)
  return (string.gsub(string.gsub(brief.public_url(url), "^ws", "http"), "/+$", ""))
end

local function read_file(path)
  local file = fs.open(path, "rb")
  if not file then return nil end
  local text = file.readAll()
  file.close()
  return text
end

local function download(url)
  local from = http_url(url) .. "/mcp-computer.lua"
  local response, reason = http.get(from, nil, true)
  if not response then return nil, "Could not get " .. from .. ": " .. tostring(reason) end
  local text = response.readAll() or ""
  response.close()
  if not string.find(text, OURS) or not load(text, "=mcp-computer") then
    return nil, "What came from " .. from .. " is not mcp-computer. Is a proxy in between?"
  end
  return text
end

local function swap(text)
  local free = fs.getFreeSpace(fs.getDir(FILE))
  if type(free) == "number" and free < #text + 500 then
    return nil, string.format("The disk is full: %d bytes are needed, %d are free.", #text, free)
  end
  local ok, problem = pcall(function()
    fs.delete(FILE .. NEW)
    local file = assert(fs.open(FILE .. NEW, "wb"))
    local written, why = pcall(file.write, text)
    file.close()
    if not written then error(why, 0) end
    -- One that has not linked yet is not worth keeping.
    if program.is_pending() then
      fs.delete(FILE)
    else
      fs.delete(FILE .. OLD)
      fs.move(FILE, FILE .. OLD)
    end
    fs.move(FILE .. NEW, FILE)
  end)
  if ok then return true end
  if not fs.exists(FILE) then pcall(fs.move, FILE .. OLD, FILE) end
  pcall(fs.delete, FILE .. NEW)
  return nil, "Could not write " .. FILE .. ": " .. brief.write_problem(problem)
end

--- Gets the program of a bridge. May yield.
-- @treturn[1] string the version that is installed now
-- @treturn[1] boolean whether that is a change
-- @treturn[2] nil
-- @treturn[2] string why nothing changed
local function fetch(url)
  local owner = manager(FILE)
  if owner then
    return nil, "This program belongs to " .. owner.name .. ". Update it with: " .. owner.update
  end
  if not program.is_ours(FILE) then return nil, FILE .. " is not the program of a bridge." end
  local text, problem = download(url)
  if not text then return nil, problem end
  local found = string.match(text, OURS)
  if text == read_file(FILE) then return found, false end
  local ok
  ok, problem = swap(text)
  if not ok then return nil, problem end
  return found, true
end

--- A function that runs the program from its file again: a new one under supervision, which puts the old one
-- back if it does not link. It refers to no other module, so that this program's memory is freed.
local function restarter(url, arguments)
  local file, health = FILE, http_url(url) .. "/health"
  local old, seconds = file .. OLD, TRIAL_SECONDS

  local function wait(duration)
    local timer = os.startTimer(duration)
    repeat
      local event, id = os.pullEventRaw()
    until event == "timer" and id == timer
  end

  local function bridge_answers()
    local ok, response = pcall(http.get, health)
    if ok and response then response.close() end
    return ok and response ~= nil
  end

  local function run()
    return shell.execute(file, table.unpack(arguments))
  end

  local function supervise()
    if not fs.exists(old) then return run() end
    local well, gave_up
    parallel.waitForAny(function()
      well = run()
      -- One that fails before it has linked is left to the supervision.
      if not well and fs.exists(old) then os.pullEventRaw("mcp-computer never") end
    end, function()
      repeat
        wait(seconds)
        gave_up = fs.exists(old) and bridge_answers() and fs.exists(old)
      until gave_up or not fs.exists(old)
      if not gave_up then os.pullEventRaw("mcp-computer never") end
      os.queueEvent("mcp-computer", "stop")
      wait(2)
    end)
    if not gave_up then return well end
    fs.delete(file)
    fs.move(old, file)
    printError("The new mcp-computer did not link: the earlier one is back.")
    return run()
  end

  return function()
    if not supervise() then error("", 0) end
  end
end

return { manager = manager, fetch = fetch, restarter = restarter }
