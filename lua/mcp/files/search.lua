local fs = require("mcp.files.guard")
local disk = require("mcp.files.disk")
local json = require("mcp.json")
local paths = require("mcp.files.paths")
local values = require("mcp.values")
local walk = require("mcp.files.walk")
local clock = require("mcp.clock")

local fail = paths.fail
local find, sub = string.find, string.sub

local MAX_LINE = 240
--- Milliseconds; the bridge's timeout is 20 s.
local MAX_TIME = 12000

local function show(line, at)
  line = string.gsub(line, "\r$", "")
  if #line > MAX_LINE then
    local from = math.max(1, (at or 1) - 80)
    local part = values.cut(sub(line, from), MAX_LINE)
    part = string.gsub(part, "^[\128-\191]+", "")
    line = (from > 1 and "..." or "") .. part .. (from + MAX_LINE <= #line and "..." or "")
  end
  return json.is_utf8(line) and line or (string.gsub(line, "[\128-\255]", "?"))
end

local function matcher(params)
  local query = params.query
  if type(query) ~= "string" or query == "" then fail("query must be the text to find") end
  if params.pattern then
    local ok, problem = pcall(find, "", query)
    if not ok then
      problem = string.gsub(tostring(problem), "^.-:%d+: ", "")
      fail("query is not a Lua pattern: ", problem, ". Escape magic characters with %")
    end
    return function(line)
      local good, at = pcall(find, line, query)
      if good then return at end
      local text = tostring(at)
      if find(text, "malformed", 1, true) or find(text, "invalid", 1, true) then
        fail("query is not a Lua pattern: ", (string.gsub(text, "^.-:%d+: ", "")))
      end
      error(at, 0)
    end
  end
  if params.ignoreCase then
    query = string.lower(query)
    return function(line)
      return find(string.lower(line), query, 1, true)
    end
  end
  return function(line)
    return find(line, query, 1, true)
  end
end

local function own_file()
  return shell and shell.getRunningProgram and "/" .. fs.combine("", shell.getRunningProgram())
end

local function each_line(text, turn, use)
  local number, at = 0, 1
  while at <= #text do
    local stop = find(text, "\n", at, true) or #text + 1
    number = number + 1
    if number % 64 == 0 then turn() end
    if use(sub(text, at, stop - 1), number) then return end
    at = stop + 1
  end
end

local function search_file(path, text, found, options)
  local before, open = {}, {}
  each_line(text, options.turn, function(line, number)
    for index = #open, 1, -1 do
      local match = open[index]
      match.after[#match.after + 1] = show(line)
      if #match.after >= options.context then table.remove(open, index) end
    end
    if found.cut then return #open == 0 end
    local at = options.match(line)
    if at then
      found.total = found.total + 1
      if found.total > options.offset + options.limit then
        found.cut = true
        return #open == 0
      end
      if found.total > options.offset then
        local match = { path = path, line = number, text = show(line, at) }
        if options.context > 0 then
          match.before, match.after = json.array({ table.unpack(before) }), json.array()
          open[#open + 1] = match
        end
        found.matches[#found.matches + 1] = match
      end
    end
    if options.context > 0 then
      before[#before + 1] = show(line)
      if #before > options.context then table.remove(before, 1) end
    end
    return false
  end)
end

local function search(root, params, turn)
  local options = {
    turn = turn,
    match = matcher(params),
    context = math.max(0, math.min(tonumber(params.context) or 0, 10)),
    offset = math.max(0, tonumber(params.offset) or 0),
    limit = math.max(1, math.min(tonumber(params.limit) or 50, 500)),
  }
  local found = { total = 0, matches = json.array() }
  local result = { path = root, searched = 0, skipped = 0, matches = found.matches }
  local started = clock.milliseconds()

  local function visit(path)
    if clock.milliseconds() - started > MAX_TIME then
      result.timedOut = true
      return true
    end
    if fs.getSize(path) > disk.MAX_FILE then
      result.skipped = result.skipped + 1
      return false
    end
    local text = fs.read(path)
    if not text or find(text, "\0", 1, true) then
      result.skipped = result.skipped + 1
      return false
    end
    result.searched = result.searched + 1
    search_file(path, text, found, options)
    return found.cut
  end

  if not fs.exists(root) then fail(root, " does not exist; list-files shows what does") end
  local own = own_file()
  if fs.isDir(root) then
    local fits = walk.glob(params.glob, root)
    local seen = walk.walk(root, {
      recursive = true,
      turn = turn,
      visit = function(path, is_dir)
        return not is_dir and path ~= own and fits(path) and visit(path)
      end,
    })
    result.romSkipped = seen.rom
    result.cut = seen.cut
  else
    visit(root)
  end
  result.more = found.cut
  return result
end

return { search = search }
