local fs = require("mcp.files.guard")
local paths = require("mcp.files.paths")

local MAX_ENTRIES = 20000

local function split(text)
  local parts = {}
  for part in string.gmatch(text, "[^/]+") do
    parts[#parts + 1] = part
  end
  return parts
end

local function pattern_of(part)
  local pattern = string.gsub(part, "[%^%$%(%)%%%.%[%]%+%-]", "%%%0")
  pattern = string.gsub(pattern, "%*+", ".*")
  pattern = string.gsub(pattern, "%?", ".")
  return "^" .. pattern .. "$"
end

local function match_parts(parts, at, names, from)
  if at > #parts then return from > #names end
  if parts[at].any then
    for skip = from, #names + 1 do
      if match_parts(parts, at + 1, names, skip) then return true end
    end
    return false
  end
  return from <= #names
    and string.find(names[from], parts[at].pattern) ~= nil
    and match_parts(parts, at + 1, names, from + 1)
end

--- A glob without a slash matches the name only; `**` matches any number of folders.
local function glob(text, root)
  if text == nil then
    return function()
      return true
    end
  end
  if type(text) ~= "string" or text == "" then paths.fail("glob must be text such as *.lua") end
  local parts = {}
  for index, part in ipairs(split(text)) do
    parts[index] = part == "**" and { any = true } or { pattern = pattern_of(part) }
  end
  local by_name = not string.find(text, "/", 1, true)
  local skip = root == "/" and 2 or #root + 2
  return function(path)
    local names = split(string.sub(path, skip))
    if by_name and #names > 0 then names = { names[#names] } end
    return match_parts(parts, 1, names, 1)
  end
end

--- Sorted by name, folders before their contents. /rom is skipped unless the walk begins there.
-- @tparam table options `recursive`, `turn`, `visit(path, is_dir)` which returns true to stop
-- @treturn table `cut` when the limit was hit, `rom` when /rom was skipped
local function walk(root, options)
  local seen = { count = 0 }
  local in_rom = paths.is_rom(root)
  local function visit(folder)
    local ok, names = pcall(fs.list, folder)
    if not ok then return false end
    for _, name in ipairs(names) do
      local path = paths.join(folder, name)
      options.turn()
      seen.count = seen.count + 1
      if seen.count > MAX_ENTRIES then
        seen.cut = true
        return true
      end
      local is_dir = fs.isDir(path)
      if options.visit(path, is_dir) then return true end
      if is_dir and options.recursive then
        if path == "/rom" and not in_rom then
          seen.rom = true
        elseif visit(path) then
          return true
        end
      end
    end
    return false
  end
  visit(root)
  return seen
end

return { walk = walk, glob = glob }
