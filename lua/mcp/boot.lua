--- Programs that start with this one, kept in a file. They run beside the link like those of
-- run-program, so that one that fails or never ends keeps nothing else from starting.

local alarm = require("mcp.alarm")
local clock = require("mcp.clock")
local config = require("mcp.config")
local identity = require("mcp.identity")

local FILE = config.BOOT_FILE
local MAX_PROGRAMS = 8
--- A computer that goes down so soon after so many starts in a row went down because of them.
local SETTLED, MAX_STARTS = 30, 3
--- Monitors on a wired network may appear after the computer has started.
local RETRY, PATIENCE = 2, 20

local function load()
  local file = fs.open(FILE, "rb")
  if not file then return { starts = 0, programs = {} } end
  local text = file.readAll() or ""
  file.close()
  local stored = textutils.unserialize(text)
  local programs = {}
  for _, program in ipairs(type(stored) == "table" and stored.programs or {}) do
    local is_program = type(program) == "table" and type(program.command) == "string"
    if is_program and #programs < MAX_PROGRAMS then programs[#programs + 1] = program end
  end
  return { starts = type(stored) == "table" and tonumber(stored.starts) or 0, programs = programs }
end

--- Writes in place: the file is small, and a full disk has no room for another one.
local function save(stored)
  return pcall(function()
    if #stored.programs == 0 then return fs.delete(FILE) end
    local file = assert(fs.open(FILE, "wb"))
    local ok, problem = pcall(file.write, textutils.serialize(stored))
    file.close()
    if not ok then error(problem, 0) end
  end)
end

--- @tparam table options `start(id, params)`: starts a program, or returns why not; `on_problem(text)`;
-- `on_start()`, after one was started later than the others
local function new(options)
  local settled, retry = alarm.new(), alarm.new()
  local waiting, began = {}, 0
  local is_off = false
  local ids = {}
  local self = {}

  local function begin(index, program)
    local id =
      string.format("boot-%s-%x-%d", string.sub(identity.instance(), 1, 8), os.epoch("utc"), index)
    local problem = options.start(id, program)
    ids[program.command] = not problem and id or nil
    return problem
  end

  local function try_again()
    local rest = {}
    for _, each in ipairs(waiting) do
      each.problem = begin(each.index, each.program)
      if each.problem then rest[#rest + 1] = each end
    end
    if #rest < #waiting then options.on_start() end
    waiting = rest
    if #waiting == 0 then return end
    if clock.seconds() - began < PATIENCE then return retry.set(RETRY) end
    for _, each in ipairs(waiting) do
      options.on_problem(each.program.command .. " was not started: " .. each.problem)
    end
    waiting = {}
  end

  function self.start()
    local stored = load()
    if #stored.programs == 0 then return end
    is_off = stored.starts >= MAX_STARTS
    if is_off then
      return options.on_problem(
        "The programs that start at boot are off: this computer went down soon after they started, "
          .. MAX_STARTS
          .. " times in a row."
      )
    end
    stored.starts = stored.starts + 1
    save(stored)
    settled.set(SETTLED)
    began = clock.seconds()
    for index, program in ipairs(stored.programs) do
      local problem = begin(index, program)
      if problem then waiting[#waiting + 1] = { index = index, program = program } end
    end
    if #waiting > 0 then retry.set(RETRY) end
  end

  --- The computer stays up, or goes down because it was asked to.
  function self.settle()
    settled.clear()
    local stored = load()
    if is_off or stored.starts == 0 then return end
    stored.starts = 0
    save(stored)
  end

  function self.look()
    if settled.rang() then self.settle() end
    if retry.rang() then try_again() end
  end

  function self.timer(id)
    return settled.take(id) or retry.take(id)
  end

  --- Adding one that is there replaces it, and switches all on again.
  function self.add(program)
    local stored = load()
    local at = #stored.programs + 1
    for index, each in ipairs(stored.programs) do
      if each.command == program.command then at = index end
    end
    if at > MAX_PROGRAMS then
      return nil, MAX_PROGRAMS .. " programs start at boot already, which is the limit"
    end
    stored.programs[at], stored.starts, is_off = program, 0, false
    local ok, problem = save(stored)
    if ok then return true end
    return nil, "it could not be kept: " .. require("mcp.brief").write_problem(problem)
  end

  function self.remove(command)
    local stored = load()
    for index, each in ipairs(stored.programs) do
      if each.command == command then
        table.remove(stored.programs, index)
        return save(stored)
      end
    end
    return false
  end

  --- @treturn table the programs, each with the `job` that runs it
  -- @treturn boolean whether they are switched off
  function self.list()
    local programs = load().programs
    for _, program in ipairs(programs) do
      program.job = ids[program.command]
    end
    return programs, is_off
  end

  return self
end

return { new = new }
