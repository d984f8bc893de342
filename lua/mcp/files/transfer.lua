local fs = require("mcp.files.guard")
local disk = require("mcp.files.disk")
local paths = require("mcp.files.paths")
local turns = require("mcp.files.turn")
local hash = require("mcp.files.hash")
local walk = require("mcp.files.walk")

local absolute, fail = paths.absolute, paths.fail

local function measure(path, turn)
  local sum = { files = 0, folders = 0, space = 0 }
  local function add(entry, is_dir)
    if is_dir then
      sum.folders, sum.space = sum.folders + 1, sum.space + disk.MINIMUM
    else
      sum.files, sum.space = sum.files + 1, sum.space + disk.counted(fs.getSize(entry))
    end
    return false
  end
  add(path, fs.isDir(path))
  if fs.isDir(path) then walk.walk(path, { recursive = true, turn = turn, visit = add }) end
  return sum
end

local function check_movable(path, what)
  if path == "/" then fail("the whole disk cannot be ", what, "; name something in it") end
  paths.check_writable(path)
  -- The game says the same of paths that do not exist.
  if fs.exists(path) and fs.isDriveRoot and fs.isDriveRoot(path) then
    fail(path, " is a separate disk and cannot be ", what, "; name something in it")
  end
end

local function check_exists(path)
  if not fs.exists(path) then fail(path, " does not exist; list-files shows what does") end
end

--- The hash of a folder: of the names and hashes of all that is in it, in the order of list-files.
local function tree_hash(path, turn)
  local lines = {}
  walk.walk(path, {
    recursive = true,
    turn = turn,
    visit = function(entry, is_dir)
      local of = ""
      if not is_dir then
        local text = fs.getSize(entry) <= disk.MAX_FILE and fs.read(entry)
        of = text and hash.of(text, turn) or "?"
      end
      lines[#lines + 1] = entry .. "\n" .. of .. "\n"
      return false
    end,
  })
  return hash.of(table.concat(lines), turn)
end

--- Refuses what is not as the caller knows it. Nothing yields between the last look and the return.
local function check_known(path, expected, turn)
  if expected == nil then return end
  if not fs.exists(path) then return disk.check_expected(path, nil, expected, turn) end
  if not fs.isDir(path) then
    local text = disk.read(path)
    disk.check_expected(path, text, expected, turn)
    if disk.read(path) ~= text then disk.check_expected(path, "", "changing", turn) end
  elseif tree_hash(path, turn) ~= expected then
    fail(
      path,
      " has changed since you looked into it and was left alone. List it again, then decide"
    )
  end
end

local function delete(params)
  local path, turn = absolute(params.path), turns.new()
  check_movable(path, "deleted")
  check_exists(path)
  if fs.isDir(path) then
    local count = #fs.list(path)
    if count > 0 and not params.recursive then
      fail(
        path,
        " is a folder with ",
        count,
        " entries and was left alone; ",
        "set recursive to delete it with everything in it"
      )
    end
  end
  local sum = measure(path, turn)
  check_known(path, params.expectedHash, turn)
  fs.delete(path)
  return disk.put_space({ path = path, files = sum.files, folders = sum.folders }, path)
end

local function ends_of(params)
  local from, to = absolute(params.from, "from"), absolute(params.to, "to")
  check_exists(from)
  if from == "/" then fail("the whole disk cannot be moved or copied; name something in it") end
  if fs.isDir(to) and to ~= from then to = paths.join(to, string.match(from, "[^/]*$")) end
  if to == from then fail("from and to are the same: ", from) end
  if string.sub(to, 1, #from + 1) == from .. "/" then fail(from, " cannot be put inside itself") end
  paths.check_writable(to)
  paths.check_parents(to)
  if fs.exists(to) then
    if not params.overwrite then
      fail(to, " already exists and was left alone; set overwrite to replace it")
    end
    if fs.isDir(to) then
      fail(to, " is a folder, and folders are never replaced; delete it with delete-file first")
    end
    if fs.isDir(from) then
      fail(to, " is a file, but ", from, " is a folder: delete the file first")
    end
  end
  return from, to
end

local function onto(to, act)
  if not fs.exists(to) then
    act(to)
    return false
  end
  local old = disk.temporary(to)
  if fs.exists(old) then fs.delete(old) end
  fs.move(to, old)
  local ok, problem = pcall(act, to)
  if not ok then
    if fs.exists(to) then fs.delete(to) end
    fs.move(old, to)
    error(problem, 0)
  end
  fs.delete(old)
  return true
end

local function explain(from, to, run)
  local ok, result = pcall(run)
  if ok then return result end
  if type(result) == "table" then error(result, 0) end
  local text = tostring(result)
  if string.find(text, "Out of space", 1, true) then
    fail("the disk is full; ", from, " is still where it was, and nothing is lost")
  elseif text == "Terminated" or string.find(text, "Too long without yielding", 1, true) then
    error(result, 0)
  end
  fail(from, " could not be moved or copied to ", to, ": ", text)
end

local function answer(from, to, sum, replaced)
  return disk.put_space({
    from = from,
    to = to,
    files = sum.files,
    folders = sum.folders,
    replaced = replaced or nil,
  }, to)
end

local function move(params)
  local turn = turns.new()
  local from, to = ends_of(params)
  check_movable(from, "moved")
  local sum = measure(from, turn)
  check_known(to, params.expectedTarget, turn)
  check_known(from, params.expectedHash, turn)
  local replaced = explain(from, to, function()
    return onto(to, function()
      fs.move(from, to)
    end)
  end)
  return answer(from, to, sum, replaced)
end

local function copy(params)
  local turn = turns.new()
  local from, to = ends_of(params)
  local sum = measure(from, turn)
  disk.check_space(to, sum.space + disk.MINIMUM * paths.missing_parents(to), "the copy")
  check_known(to, params.expectedTarget, turn)
  check_known(from, params.expectedHash, turn)
  local replaced = explain(from, to, function()
    return onto(to, function()
      fs.copy(from, to)
    end)
  end)
  return answer(from, to, sum, replaced)
end

return { delete = delete, move = move, copy = copy }
