--- Records about files, each with what was in the file, on disk until they are removed. They are appended to
-- packs: creating a file costs more than ten appends.

local raw = require("mcp.raw")

-- Taken before any task: while a job runs, `fs` may have other functions.
local open, delete, is_dir, list, make_dir = fs.open, fs.delete, fs.isDir, fs.list, fs.makeDir
local format, match, sub = string.format, string.match, string.sub

--- Number, job, time, kind, size or length, path. After kind "k" comes what was in the file.
local HEADER = "%d %s %.0f %s %d %s\n"
local PATTERN = "^(%d+) (%S+) (%d+) (%a) (%-?%d+) ([^\n]+)\n()"

local function read(path)
  local file = open(path, "rb")
  if not file then return "" end
  local text = file.readAll() or ""
  file.close()
  return text
end

local function header_of(record, size)
  local kind = size and "k" or record.length and "l" or record.problem and "p" or "a"
  local number = size or record.length or 0
  return format(HEADER, record.n, record.job, record.time, kind, number, record.path)
end

--- The last record may be torn, if the computer went off while it was written: its file was not changed yet.
local function records_in(text)
  local found, by_number = {}, {}
  local at = 1
  while true do
    local n, job, time, kind, number, path, from = match(text, PATTERN, at)
    local size = kind == "k" and tonumber(number) or nil
    if not n or (size and from + size - 1 > #text) then return found end
    local record = by_number[n] or { n = tonumber(n), job = job, path = path }
    if not by_number[n] then found[#found + 1] = record end
    by_number[n] = record
    record.time, record.size, record.from = tonumber(time), size, from
    record.length = kind == "l" and tonumber(number) or nil
    record.absent = kind == "a" or nil
    -- Earlier versions kept copies, which had the kind "c".
    record.problem = (kind == "p" or kind == "c") and "it was not kept" or nil
    at = from + (size or 0)
  end
end

local function new(folder)
  --- Of contents, in all packs.
  local self = { bytes = 0 }
  local current
  local last = 0

  local function put(record, pack, from, size)
    record.pack, record.from, record.size = pack, from, size
    pack.records, pack.bytes = pack.records + 1, pack.bytes + (size or 0)
    self.bytes = self.bytes + (size or 0)
  end

  --- A pack is deleted with its last record.
  function self.remove(record)
    local pack = record.pack
    if not pack then return end
    record.pack = nil
    pack.records = pack.records - 1
    if pack.records > 0 or pack == current then return end
    self.bytes = self.bytes - pack.bytes
    raw.pcall(delete, pack.path)
  end

  --- What is added from now on comes into another pack.
  function self.close()
    if current then raw.pcall(current.file.close) end
    current = nil
  end

  local function begin()
    make_dir(folder)
    last = last + 1
    local path = format("%s/%d.pack", folder, last)
    local file, problem = open(path, "wb")
    if not file then error(problem, 0) end
    current = { path = path, file = file, length = 0, records = 0, bytes = 0 }
  end

  --- A record may be added again, when its content is known.
  -- @throws why it cannot be written
  function self.add(record, content)
    if not current then begin() end
    local header = header_of(record, content and #content)
    local ok, problem = raw.pcall(current.file.write, header .. (content or ""))
    if not ok then
      -- A part of it may have been written, so that nothing can follow.
      self.close()
      error(problem, 0)
    end
    -- CC:Tweaked writes at once; CraftOS-PC does now.
    current.file.flush()
    self.remove(record)
    put(record, current, current.length + #header + 1, content and #content)
    current.length = record.from + (record.size or 0) - 1
  end

  --- Only after `close`.
  function self.content_of(record)
    local pack = record.pack
    pack.text = pack.text or read(pack.path)
    local content = sub(pack.text, record.from, record.from + record.size - 1)
    return #content == record.size and content or nil
  end

  function self.clear()
    self.close()
    self.bytes = 0
    delete(folder)
  end

  --- What was added before a reboot.
  function self.load()
    local found = {}
    for _, name in ipairs(is_dir(folder) and list(folder) or {}) do
      local count = match(name, "^(%d+)%.pack$")
      if count or name == "index" then
        last = math.max(last, tonumber(count or 0))
        local pack = { path = folder .. "/" .. name, records = 0, bytes = 0 }
        for _, record in ipairs(records_in(read(pack.path))) do
          put(record, pack, record.from, record.size)
          found[#found + 1] = record
        end
      end
    end
    table.sort(found, function(a, b)
      return a.n < b.n
    end)
    if #found == 0 then raw.pcall(delete, folder) end
    return found
  end

  return self
end

return { new = new }
