--- Atomic reads and writes of whole files: nothing is lost when the disk is full.

local fs = require("mcp.files.guard")
local hash = require("mcp.files.hash")
local paths = require("mcp.files.paths")
local turns = require("mcp.files.turn")
local clock = require("mcp.clock")

local fail = paths.fail

--- The game charges at least this much per file or folder.
local MINIMUM = 500
local MAX_FILE = 8 * 1024 * 1024
local PATIENCE = 10000

local function counted(size)
  return math.max(size, MINIMUM)
end

local function put_space(result, path)
  local ok, free = pcall(fs.getFreeSpace, path)
  if ok then result.freeSpace = free end
  local capacity
  ok, capacity = pcall(fs.getCapacity, path)
  if ok and type(capacity) == "number" then result.capacity = capacity end
  return result
end

local function check_space(path, needed, what)
  local ok, free = pcall(fs.getFreeSpace, path)
  if ok and type(free) == "number" and needed > free then
    fail(
      "the disk is too full: ",
      what,
      " needs ",
      string.format("%d", needed),
      " bytes (every file ",
      "and folder takes at least ",
      MINIMUM,
      "), and ",
      string.format("%d", free),
      " are free. ",
      "Nothing was changed; delete something first"
    )
  end
end

local function temporary(path)
  local name = string.match(path, "[^/]*$")
  return paths.join(paths.parent(path), "." .. string.sub(name, 1, 200) .. ".mcp-new")
end

local function check_file(path)
  if not fs.exists(path) then
    if fs.exists(temporary(path)) then
      fail(
        path,
        " does not exist, but ",
        temporary(path),
        " holds what was being written when the computer ",
        "stopped; copy-file with move restores it"
      )
    end
    fail(path, " does not exist; list-files shows what does")
  end
  if fs.isDir(path) then fail(path, " is a folder; list-files shows what is in it") end
end

local function read(path)
  check_file(path)
  local size = fs.getSize(path)
  if size > MAX_FILE then
    fail(
      path,
      " has ",
      string.format("%d", size),
      " bytes, more than the ",
      MAX_FILE,
      " that can be read; read the part you need with exec-lua"
    )
  end
  local text, problem = fs.read(path)
  return text or fail(problem)
end

local function explain_write(path, problem)
  problem = tostring(problem)
  if string.find(problem, "Out of space", 1, true) then
    fail(
      "the disk is full: ",
      path,
      " was not written, and its old content is intact. ",
      "Delete something first"
    )
  end
  fail(path, " cannot be written: ", problem)
end

local function write_bytes(path, text, mode)
  local file, problem = fs.open(path, mode)
  if not file then error(problem, 0) end
  local ok, reason = pcall(file.write, text)
  file.close()
  if not ok then error(reason, 0) end
end

--- @tparam string|nil before the content that the new content is based on; nil if there was no file
local function put(path, text, before)
  local temp = temporary(path)
  if fs.exists(temp) then fs.delete(temp) end
  local needed = counted(#text) + MINIMUM * paths.missing_parents(path)
  check_space(
    path,
    needed,
    before and "the new content, written before the old is deleted," or "this"
  )
  local ok, problem = pcall(write_bytes, temp, text, "wb")
  if not ok then
    pcall(fs.delete, temp)
    explain_write(path, problem)
  end
  local now = fs.exists(path) and not fs.isDir(path) and read(path) or nil
  if now ~= before then
    pcall(fs.delete, temp)
    fail(path, " was just changed by somebody else and was left alone; read it again")
  end
  -- There is no atomic replace; from here on both steps only rename.
  if before then fs.delete(path) end
  ok, problem = pcall(fs.move, temp, path)
  if not ok then
    if before then pcall(write_bytes, path, before, "wb") end
    explain_write(path, problem)
  end
end

local function append(path, text, before)
  local growth = counted(#before + #text) - counted(#before)
  check_space(path, growth, "this")
  local ok, problem = pcall(write_bytes, path, text, "ab")
  if ok then return end
  if fs.getSize(path) ~= #before then pcall(write_bytes, path, before, "wb") end
  explain_write(path, problem)
end

local writing = {}

local function alone(path, run)
  local since = clock.milliseconds()
  while writing[path] do
    if clock.milliseconds() - math.max(since, writing[path]) > PATIENCE then break end
    turns.rest()
  end
  writing[path] = clock.milliseconds()
  local result = table.pack(pcall(run))
  writing[path] = nil
  if not result[1] then error(result[2], 0) end
  return table.unpack(result, 2, result.n)
end

local function before_writing(path)
  paths.check_writable(path)
  paths.check_parents(path)
  if fs.isDir(path) then fail(path, " is a folder") end
  if not fs.exists(path) and fs.exists(temporary(path)) then fs.move(temporary(path), path) end
  if not fs.exists(path) then return nil end
  return read(path)
end

--- Optimistic locking: refuses a file that changed since the caller read it.
local function check_expected(path, before, expected, turn)
  if expected == nil then return end
  if expected == "absent" then
    if before then fail(path, " already exists and was left alone") end
    return
  end
  if not before then fail(path, " no longer exists: somebody deleted or moved it") end
  local now = hash.of(before, turn)
  if now ~= expected then
    fail(
      path,
      " has changed since you read it (its hash is ",
      now,
      ", not ",
      tostring(expected),
      ") and was left alone. Read it again, then decide"
    )
  end
end

return {
  MINIMUM = MINIMUM,
  MAX_FILE = MAX_FILE,
  alone = alone,
  append = append,
  before_writing = before_writing,
  check_expected = check_expected,
  check_file = check_file,
  check_space = check_space,
  counted = counted,
  put = put,
  put_space = put_space,
  read = read,
  temporary = temporary,
}
