local fs = require("mcp.files.guard")
local lock = require("mcp.lock")
local base64 = require("mcp.base64")

local function fail(...)
  error({ problem = table.concat({ ... }) }, 0)
end

local function method(run)
  return {
    run = function(params)
      local ok, result = pcall(run, type(params) == "table" and params or {})
      if ok then return result end
      if type(result) == "table" and result.problem then return nil, result.problem end
      error(result, 0)
    end,
  }
end

--- Refuses characters that the game would silently drop.
local function absolute(path, name)
  name = name or "path"
  if type(path) ~= "string" or path == "" then
    fail(name, " must be a path such as /startup.lua")
  end
  -- Names that are not UTF-8 travel as base64, because JSON cannot contain them.
  local encoded = string.match(path, "^base64:(.*)$")
  if encoded then path = base64.decode(encoded) or fail(name, " is not valid base64") end
  local odd = string.match(path, '[%c"*:<>?|]')
  if odd then
    fail(
      name,
      " must not contain ",
      string.format("%q", odd),
      ": the game drops it from file names"
    )
  end
  local clean = fs.combine("", path)
  if clean == ".." or string.sub(clean, 1, 3) == "../" then
    fail(path, " leads out of this computer's disk")
  end
  return "/" .. clean
end

local function parent(path)
  return (string.match(path, "^(/.*)/[^/]*$")) or "/"
end

local function join(folder, name)
  return folder == "/" and "/" .. name or folder .. "/" .. name
end

local function is_rom(path)
  return path == "/rom" or string.sub(path, 1, 5) == "/rom/"
end

local function check_writable(path)
  if is_rom(path) then
    fail(
      path,
      " is read-only: /rom belongs to the mod and is the same on every computer. ",
      "Use another path; copy-file can copy a file from /rom to where it can be changed"
    )
  end
  local guarded = lock.guards(path)
  if guarded then fail(path, guarded) end
  if fs.isReadOnly(path) then fail(path, " is read-only: its disk cannot be written to") end
end

local function check_parents(path)
  local folder = parent(path)
  while folder ~= "/" do
    if fs.exists(folder) then
      if fs.isDir(folder) then return end
      fail(folder, " is a file, so there can be nothing inside it")
    end
    folder = parent(folder)
  end
end

local function missing_parents(path)
  local count, folder = 0, parent(path)
  while folder ~= "/" and not fs.exists(folder) do
    count, folder = count + 1, parent(folder)
  end
  return count
end

return {
  fail = fail,
  method = method,
  absolute = absolute,
  parent = parent,
  join = join,
  is_rom = is_rom,
  check_writable = check_writable,
  check_parents = check_parents,
  missing_parents = missing_parents,
}
