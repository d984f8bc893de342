local json = require("mcp.json")

local MAX_KINDS, MAX_PROGRAMS, MAX_TABS = 16, 16, 8
local MAX_FOLDERS, MAX_ENTRIES = 32, 512

local NOT_OWN = {
  rom = true,
  ccpm = true,
  startup = true,
  ["mcp-tools"] = true,
  ["mcp-computer.lua"] = true,
}

local function monitor_size(name)
  local ok, width, height = pcall(peripheral.call, name, "getSize")
  -- Other mods' monitors may answer anything.
  if not ok or type(width) ~= "number" or type(height) ~= "number" then return nil end
  local scaled, scale = pcall(peripheral.call, name, "getTextScale")
  local coloured, colour = pcall(peripheral.call, name, "isColour")
  return width
    .. "x"
    .. height
    .. (scaled and type(scale) == "number" and " at scale " .. scale or "")
    .. (coloured and (colour and ", colour" or ", no colour") or "")
end

local function attached()
  local counts, kinds, names = {}, {}, {}
  for _, name in ipairs(peripheral.getNames()) do
    local known, kind = pcall(peripheral.getType, name)
    kind = known and tostring(kind) or "unknown"
    if not counts[kind] then kinds[#kinds + 1] = kind end
    counts[kind], names[kind] = (counts[kind] or 0) + 1, name
  end
  table.sort(kinds)
  local list = json.array()
  for index = 1, math.min(#kinds, MAX_KINDS) do
    local kind = kinds[index]
    local alone = counts[kind] == 1 and names[kind] or nil
    list[index] = {
      kind = kind,
      count = counts[kind],
      name = alone,
      size = alone and kind == "monitor" and monitor_size(alone) or nil,
    }
  end
  return list, #kinds
end

local function programs()
  local list, count, looked_at, folders = json.array(), 0, 0, 0
  local function look(folder)
    local ok, names = pcall(fs.list, folder)
    for _, name in ipairs(ok and names or {}) do
      looked_at = looked_at + 1
      if looked_at > MAX_ENTRIES then return end
      local path = fs.combine(folder, name)
      local is_own = not NOT_OWN[name] and name:sub(1, 1) ~= "."
      if is_own and fs.isDir(path) then
        folders = folders + 1
        if folder == "/" and folders <= MAX_FOLDERS then look(path) end
      elseif is_own and name:find("%.lua$") then
        count = count + 1
        if count <= MAX_PROGRAMS then list[count] = (path:gsub("%.lua$", "")) end
      end
    end
  end
  look("/")
  return list, count
end

--- Without tabs, what runs at the prompt beside this program is known only if the prompt is shared.
local function tabs(context)
  local list = json.array()
  if not multishell then
    local beside = context.screen.is_silent and not context.prompt.program()
    return not beside and list or nil
  end
  local own = multishell.getCurrent()
  for index = 1, multishell.getCount() do
    local title = index ~= own and multishell.getTitle(index)
    if title and title ~= "shell" and #list < MAX_TABS then list[#list + 1] = title end
  end
  return list
end

--- What cannot be found out is left out: unknown is not none.
local function known(find, context)
  local ok, list, count = pcall(find, context)
  if ok then return list, count end
end

local function about(_, context)
  local kinds, kind_count = known(attached)
  local names, program_count = known(programs)
  return {
    attached = kinds,
    kinds = kind_count,
    programs = names,
    programCount = program_count,
    tabs = known(tabs, context),
    prompt = context.prompt.command() or nil,
    fuel = turtle and turtle.getFuelLevel() or nil,
  }
end

return { ["about-computer"] = { run = about } }
