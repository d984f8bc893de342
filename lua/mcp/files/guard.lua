--- The `fs` of everything that reads or changes files for a bridge: that of the game, without the files that
-- hold this computer's keys (see mcp.keys). They are not listed, and no path leads to them.
--
-- Names count in every folder: the disk of another computer may be in a drive, and a folder may be a copy of
-- one. So a folder with such a file may be copied or moved; the file in it stays out of reach.

local keys = require("mcp.keys")

local find, gsub, lower, match = string.find, string.gsub, string.lower, string.match

--- The path that the game makes of a text, and its name without what hosts ignore: case, and dots at the end.
local function resolve(path)
  -- Other functions of the game drop these where `fs.combine` does not.
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

--- All bytes of a file, or nil and why not.
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

--- Opens a file to write it.
function guard.open(path, mode)
  check(path)
  if not find(mode, "^[wa]b?$") then error("files are read with guard.read", 2) end
  return fs.open(path, mode)
end

function guard.list(path)
  local names = {}
  for _, name in ipairs(fs.list(path)) do
    local _, plain = resolve(name)
    if not is_own(plain) then names[#names + 1] = name end
  end
  return names
end

--- Makes a function that takes a file or folder somewhere else.
local function transfer(name)
  return function(from, to)
    check(from)
    check(to)
    -- Under another name it could be read.
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
