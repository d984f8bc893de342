--- The `fs` for all requests of a bridge: hides the files with this computer's keys (see mcp.keys).
-- They are not listed and cannot be opened by any path. Names are protected in every folder: a
-- drive may contain another computer's disk, and a folder may be a copy of one. A folder with such
-- a file may be copied or moved; the file in it stays protected.

local keys = require("mcp.keys")

local find, gsub, lower, match = string.find, string.gsub, string.lower, string.match

--- Normalizes what host file systems ignore: case and trailing dots.
local function resolve(path)
  -- Some functions of the game drop these characters, but `fs.combine` does not.
  local clean = fs.combine("", (gsub(path, '[%c"*:<>?|]', "")))
  return "/" .. clean, (gsub(lower(match(clean, "[^/]*$")), "[%. ]+$", ""))
end

local function is_own(name)
  return find(name, "^%.mcp%-computer%.secret") ~= nil or name == ".mcp-computer.id"
end

local function refusal(path)
  return path .. " holds this computer's own keys: no tool reads or changes it"
end

local function check(path)
  local clean, name = resolve(path)
  if is_own(name) then error({ problem = refusal(clean) }, 0) end
end

local guard = {}

function guard.read(path)
  local clean, name = resolve(path)
  if is_own(name) then return nil, refusal(clean) end
  local file, problem = fs.open(path, "rb")
  if not file then return nil, tostring(problem) end
  local text = file.readAll() or ""
  file.close()
  if keys.are_in(text, name) then return nil, refusal(clean) end
  return text
end

function guard.open(path, mode)
  check(path)
  if not find(mode, "^[wa]b?$") then error("files are read with guard.read", 2) end
  return fs.open(path, mode)
end

local function path_of(folder, name)
  return "/" .. fs.combine(folder, name)
end

function guard.list(path)
  local names = {}
  for _, name in ipairs(fs.list(path)) do
    local _, plain = resolve(name)
    local is_hidden = is_own(plain) or path_of(path, plain) == keys.BEFORE
    if not is_hidden then names[#names + 1] = name end
  end
  return names
end

local function transfer(name)
  return function(from, to)
    check(from)
    check(to)
    if fs.exists(from) and not fs.isDir(from) then
      local text, problem = guard.read(from)
      if not text then error({ problem = problem }, 0) end
    end
    return fs[name](from, to)
  end
end

guard.copy, guard.move = transfer("copy"), transfer("move")

for _, name in ipairs({
  "attributes",
  "delete",
  "exists",
  "getCapacity",
  "getFreeSpace",
  "getSize",
  "isDir",
  "isDriveRoot",
  "isReadOnly",
  "makeDir",
}) do
  if fs[name] then guard[name] = function(path)
    check(path)
    return fs[name](path)
  end end
end

guard.combine = fs.combine

return guard
