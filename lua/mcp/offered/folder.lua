--- Watches the folder of tools; a broken file does not affect the others.

local alarm = require("mcp.alarm")
local clock = require("mcp.clock")

local FOLDER = "/mcp-tools"
local MAX_FILES = 64
local MAX_BYTES = 64 * 1024
local PAUSE, LONG_PAUSE = 2, 5
local LOADING = 5

local function mark_of(path)
  if not fs.attributes then return tostring(fs.getSize(path)) end
  local found = fs.attributes(path)
  return found.size .. "/" .. tostring(found.modified or found.modification)
end

local function list()
  local files, count = {}, 0
  if not fs.isDir(FOLDER) then return files, false end
  for _, entry in ipairs(fs.list(FOLDER)) do
    local path = FOLDER .. "/" .. entry
    if string.find(entry, "%.lua$") and not fs.isDir(path) and count < MAX_FILES then
      count = count + 1
      local ok, mark = pcall(mark_of, path)
      files[string.sub(entry, 1, -5)] = ok and mark or "?"
    end
  end
  return files, true
end

local function load_file(path, env)
  if fs.getSize(path) > MAX_BYTES then error("it is larger than " .. MAX_BYTES .. " bytes", 0) end
  local file, problem = fs.open(path, "rb")
  if not file then error(tostring(problem), 0) end
  local text = file.readAll() or ""
  file.close()
  local chunk, syntax = load(text, "@" .. path, "t", env)
  if not chunk then error(syntax, 0) end
  return chunk()
end

local function new(scheduler, on_change)
  local entries = {}
  local timer = alarm.new()
  local hurry = false
  local self = {}

  local function settle(name, entry, ok, result)
    entry.task = nil
    if entries[name] ~= entry then return end
    local tool, problem
    if ok then
      tool, problem = require("mcp.offered.definition").read(name, result)
    else
      problem = type(result) == "table" and tostring(result.message or "an error")
        or tostring(result)
    end
    entry.tool, entry.problem = tool, problem
    on_change()
  end

  local function begin(name, mark)
    local entry = { mark = mark, began = clock.seconds(), began_ms = clock.milliseconds() }
    entries[name] = entry
    local path = FOLDER .. "/" .. name .. ".lua"
    local env, is_loading = require("mcp.exec").environment(FOLDER), true
    -- What it prints is not for the player's screen.
    local captured = require("mcp.output").capture()
    local patches = require("mcp.offered.loading").patches(env, function()
      return is_loading
    end)
    for _, patch in ipairs(captured.patches) do
      patches[#patches + 1] = patch
    end
    entry.task = {
      patches = patches,
      term = captured.term,
      run = function()
        return load_file(path, env)
      end,
      on_done = function(_, ok, result)
        is_loading = false
        if entry.too_long then
          ok, result = false, "it did not return its table within " .. LOADING .. " s"
        end
        settle(name, entry, ok, result)
      end,
    }
    scheduler.spawn(entry.task)
  end

  function self.scan()
    hurry = false
    local files, exists = list()
    for name in pairs(entries) do
      if not files[name] then
        entries[name] = nil
        on_change()
      end
    end
    for name, mark in pairs(files) do
      local entry = entries[name]
      if not entry or (entry.mark ~= mark and not entry.task) then begin(name, mark) end
    end
    timer.set(exists and PAUSE or LONG_PAUSE)
  end

  --- One that computes makes game time lag; one that sleeps waits for it.
  local function is_over(entry)
    local computes = entry.task.preempted and clock.milliseconds() - entry.began_ms > LOADING * 1000
    return computes or clock.seconds() - entry.began > LOADING
  end

  function self.look()
    if timer.rang() or hurry then self.scan() end
    for _, entry in pairs(entries) do
      if entry.task and not entry.too_long and is_over(entry) then
        entry.too_long = true
        scheduler.cancel(entry.task)
        break
      end
    end
  end

  self.timer = timer.take
  self.stop = timer.clear

  function self.soon()
    hurry = true
  end

  function self.each(visit)
    for name, entry in pairs(entries) do
      if not entry.task then visit(name, entry, FOLDER .. "/" .. name .. ".lua") end
    end
  end

  function self.find(name)
    return entries[name] and entries[name].tool
  end

  return self
end

return { new = new, FOLDER = FOLDER }
