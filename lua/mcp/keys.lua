--- This computer's credentials: the link token, the pairing secret, its instance id, the secret of
-- its Minecraft server, and a URL with a token. They are in a file that no tool can read or change
-- (see mcp.files.guard): a read-only client must not be able to impersonate this computer.

local FILE = "/.mcp-computer.secret"
local NEW = FILE .. ".new"
local OLD_ID = "/.mcp-computer.id"
--- What files were before jobs changed them (see mcp.before): no key, but hidden beside them.
local BEFORE = "/.mcp-computer.before"
local MARK = "-- The keys of this computer, for mcp-computer alone. No tool reads this file."

local function read_file(path)
  local file = fs.open(path, "rb")
  if not file then return nil end
  local text = file.readAll()
  file.close()
  return text
end

local function parse(text)
  local stored = text and textutils.unserialize(text)
  return type(stored) == "table" and stored or nil
end

local function load()
  local stored = parse(read_file(FILE))
  if stored then return stored end
  stored = parse(read_file(NEW))
  if stored and not fs.exists(FILE) then pcall(fs.move, NEW, FILE) end
  return stored or {}
end

local function get(name)
  local value = load()[name]
  return type(value) == "string" and value ~= "" and value or nil
end

local function save(changes)
  local stored, changed = load(), false
  for name, value in pairs(changes) do
    changed = changed or (stored[name] or false) ~= value
    stored[name] = value or nil
  end
  if not changed then return true end
  local text = MARK .. "\n" .. textutils.serialize(stored)
  local written = pcall(function()
    if fs.exists(NEW) then fs.delete(NEW) end
    local file = assert(fs.open(NEW, "wb"))
    local ok, problem = pcall(file.write, text)
    file.close()
    if not ok then error(problem, 0) end
    assert(read_file(NEW) == text)
  end)
  if not written then
    pcall(fs.delete, NEW)
    return false
  end
  -- There is no atomic replace: in between, `load` reads the new file.
  return (pcall(function()
    fs.delete(FILE)
    fs.move(NEW, FILE)
  end))
end

local function old_instance()
  local id = string.match(read_file(OLD_ID) or "", "^%w+")
  return id and #id <= 64 and id or nil
end

--- Whether a text contains keys: a copy of the file, or of the settings.
-- @tparam string name the file's name in lower case
local function are_in(text, name)
  if string.sub(text, 1, #MARK) == MARK then return true end
  if name ~= ".settings" then return false end
  return string.find(text, '"mcp_computer.token"', 1, true) ~= nil
    or string.find(text, '"mcp_computer.secret"', 1, true) ~= nil
    or string.find(text, '"mcp_computer%.url"%s*%]%s*=%s*"[^"]*[?@]') ~= nil
end

return {
  get = get,
  save = save,
  old_instance = old_instance,
  are_in = are_in,
  FILE = FILE,
  NEW = NEW,
  OLD_ID = OLD_ID,
  BEFORE = BEFORE,
}
