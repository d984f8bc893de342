local base64 = require("mcp.base64")
local disk = require("mcp.files.disk")
local edit = require("mcp.files.edit")
local frames = require("mcp.frames")
local fs = require("mcp.files.guard")
local hash = require("mcp.files.hash")
local json = require("mcp.json")
local pages = require("mcp.files.pages")
local paths = require("mcp.files.paths")
local search = require("mcp.files.search")
local transfer = require("mcp.files.transfer")
local turns = require("mcp.files.turn")
local walk = require("mcp.files.walk")

local absolute, fail, method = paths.absolute, paths.fail, paths.method

local MAX_LIST = 1000
local MAX_EDITS, MAX_LINES = 50, 20

local function entry_of(path, is_dir)
  local entry = { path = path }
  if is_dir then entry.isDir = true end
  local ok, facts = pcall(fs.attributes, path)
  if not ok then return entry end
  if not is_dir then entry.size = facts.size end
  if facts.isReadOnly then entry.readOnly = true end
  -- Files in /rom have no date.
  if type(facts.modified) == "number" and facts.modified > 0 then
    entry.modified = facts.modified
  end
  return entry
end

local function list(params)
  local root, turn = absolute(params.path or "/"), turns.new()
  local offset = math.max(0, tonumber(params.offset) or 0)
  local limit = math.max(1, math.min(tonumber(params.limit) or 100, MAX_LIST))
  local result = { path = root, total = 0, files = 0, bytes = 0, entries = json.array() }
  local page = result.entries
  if not fs.exists(root) then
    if not params.missingOk then fail(root, " does not exist") end
    result.missing = true
    return disk.put_space(result, root)
  end

  local function take(path, is_dir)
    result.total = result.total + 1
    local listed = result.total > offset and #page < limit
    if listed or not is_dir then
      local entry = entry_of(path, is_dir)
      if not is_dir then
        result.files, result.bytes = result.files + 1, result.bytes + (entry.size or 0)
      end
      if listed then page[#page + 1] = entry end
    end
    return false
  end

  if fs.isDir(root) then
    local fits = walk.glob(params.glob, root)
    local deep = type(params.glob) == "string" and string.find(params.glob, "/", 1, true) ~= nil
    local seen = walk.walk(root, {
      recursive = params.recursive or deep,
      turn = turn,
      visit = function(path, is_dir)
        return fits(path) and take(path, is_dir)
      end,
    })
    result.romSkipped, result.cut = seen.rom, seen.cut
  else
    take(root, false)
  end
  if params.hashes then
    for _, entry in ipairs(page) do
      if not entry.isDir and (entry.size or 0) <= disk.MAX_FILE then
        local text = fs.read(entry.path)
        entry.hash = text and hash.of(text, turn)
      end
    end
  end
  return disk.put_space(result, root)
end

local function read(params)
  local path, turn = absolute(params.path), turns.new()
  local text = disk.read(path)
  local page = pages.cut(path, text, params, turn)
  local result = {
    path = path,
    size = #text,
    hash = hash.of(text, turn),
    lines = page.lines,
    endings = edit.endings(text),
    offset = page.from - 1,
    startLine = page.start_line,
    endLine = page.end_line,
    nextOffset = page.more and page.stop or nil,
  }
  local content = string.sub(text, page.from, page.stop)
  if params.base64 then
    result.content, result.encoding = base64.encode(content), "base64"
    return result
  end
  return frames.put_text(result, "content", content)
end

local function text_of(params, name, turn)
  local text = params[name]
  if type(text) ~= "string" then fail(name, " must be text") end
  if params.encoding == nil then return text end
  if params.encoding ~= "base64" then fail("encoding must be base64 or left out") end
  return base64.decode(text, turn) or fail(name, " is not valid base64")
end

local function written(path, text, turn)
  return disk.put_space({ path = path, size = #text, hash = hash.of(text, turn) }, path)
end

local function write(params)
  local path, turn = absolute(params.path), turns.new()
  local text = text_of(params, "content", turn)
  return disk.alone(path, function()
    local before = disk.before_writing(path)
    disk.check_expected(path, before, params.expectedHash, turn)
    if params.createDirectories == false and paths.missing_parents(path) > 0 then
      fail(paths.parent(path), " does not exist; set createDirectories to create it")
    end
    if params.append and before then
      disk.append(path, text, before)
      text = before .. text
    else
      disk.put(path, text, before)
    end
    local result = written(path, text, turn)
    result.created = before == nil
    return result
  end)
end

local function edits_of(params, turn)
  local edits = {}
  for index, edit_params in ipairs(params.edits or { params }) do
    if type(edit_params) ~= "table" then fail("each of edits must be an object") end
    edits[index] = {
      old = text_of(edit_params, "oldText", turn),
      new = text_of(edit_params, "newText", turn),
      every = edit_params.replaceAll,
    }
    if edits[index].old == "" then fail("oldText must not be empty") end
  end
  if #edits == 0 then fail("edits must not be empty") end
  if #edits > MAX_EDITS then fail("at most ", MAX_EDITS, " edits at a time") end
  return edits
end

local function edit_file(params)
  local path, turn = absolute(params.path), turns.new()
  if params.edits ~= nil and type(params.edits) ~= "table" then fail("edits must be a list") end
  local edits = edits_of(params, turn)
  paths.check_writable(path)
  return disk.alone(path, function()
    local before = disk.before_writing(path)
    if not before then disk.check_file(path) end
    disk.check_expected(path, before, params.expectedHash, turn)
    local text, all_lines, total = before, json.array(), 0
    for index, each in ipairs(edits) do
      local number = #edits > 1 and index or nil
      local lines, count
      text, lines, count = edit.replace(path, text, each.old, each.new, each.every, turn, number)
      total = total + count
      for _, line in ipairs(lines) do
        if #all_lines < MAX_LINES then all_lines[#all_lines + 1] = line end
      end
    end
    disk.put(path, text, before)
    local result = written(path, text, turn)
    result.lines, result.replaced = all_lines, total
    return result
  end)
end

local function search_files(params)
  return search.search(absolute(params.path or "/"), params, turns.new())
end

return {
  ["list-files"] = method(list),
  ["read-file"] = method(read),
  ["write-file"] = method(write),
  ["edit-file"] = method(edit_file),
  ["delete-file"] = method(transfer.delete),
  ["move-file"] = method(transfer.move),
  ["copy-file"] = method(transfer.copy),
  ["search-files"] = method(search_files),
}
