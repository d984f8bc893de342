--- What files were before jobs changed them through `fs`, until the bridge has it.
--
-- The first write to a path by a job keeps what is in the file in a hidden folder (see mcp.packs), or only
-- the old length where the job appends to a long file. A reboot loses nothing. What escapes: `fs` functions
-- that a program kept from before the job, and code in other tabs.

local base64 = require("mcp.base64")
local hash = require("mcp.files.hash")
local json = require("mcp.json")
local keys = require("mcp.keys")
local packs_module = require("mcp.packs")
local preempt = require("mcp.preempt")
local raw = require("mcp.raw")

--- Of a job.
local MAX_FILES = 200
--- Larger files are not kept; of the free space, this share is taken at most.
local MAX_FILE, MAX_TOTAL, SHARE = 128 * 1024, 256 * 1024, 4
--- Of a longer file that a job only appends to, the old length is enough, as long as nothing else changes it.
local LONG = 16 * 1024
--- Contents in one answer.
local PAGE = 64 * 1024

-- Taken before any task: while a job runs, `fs` has the functions below.
local open, exists, is_dir = fs.open, fs.exists, fs.isDir
local copy, delete, move, list = fs.copy, fs.delete, fs.move, fs.list
local attributes, free_space = fs.attributes, fs.getFreeSpace
local byte, find, gsub, match, sub = string.byte, string.find, string.gsub, string.match, string.sub

local function clean(path)
  return "/" .. fs.combine("", (gsub(path, '[%c"*:<>?|]', "")))
end

local function is_ours(path)
  return find(path, "/.mcp-computer.", 1, true) ~= nil or find(path, "^/rom/") ~= nil
end

--- Written into JSON nearly unchanged: far cheaper here than base64.
local function is_plain(text)
  local _, stop = find(text, "^[ -~\t\n\r]*")
  return stop == #text
end

local function read(path)
  local file = open(path, "rb")
  if not file then return nil end
  local text = file.readAll() or ""
  file.close()
  return text
end

--- Changes whenever a file is written.
-- @treturn string
-- @treturn number|nil its size
local function mark_of(path)
  local ok, facts = raw.pcall(attributes, path)
  if not ok then return "absent" end
  if facts.isDir then return "folder" end
  return facts.size .. " " .. tostring(facts.modified), facts.size
end

--- Whether nothing more of the file has to be kept before the next write.
local function is_enough(record, appends)
  return appends or record.problem or not record.length
end

local function new()
  local packs = packs_module.new(keys.BEFORE)
  --- Those of before a reboot, too. What their jobs left is not known.
  local records = packs.load()
  local runs, number = {}, records[1] and records[#records].n or 0
  local self = {}

  local function has_room(size)
    if size > MAX_FILE or packs.bytes + size > MAX_TOTAL then return false end
    local free = free_space("/")
    return type(free) ~= "number" or (packs.bytes + size) * SHARE <= free + packs.bytes
  end

  --- What was in the file before the job, unless its length is enough.
  local function content_before(record, file, appends)
    local size = record.length or file.seek("end")
    if appends and size > LONG then
      record.length = size
    elseif has_room(size) then
      file.seek("set", 0)
      local content = sub(file.readAll() or "", 1, size)
      record.length = nil
      return content
    else
      record.problem = "it was too large to keep (" .. size .. " bytes)"
    end
  end

  local function begin_record(run, path)
    number, run.count = number + 1, run.count + 1
    local record = { n = number, job = run.id, path = path, time = os.epoch("utc") }
    run.seen[path], records[#records + 1] = record, record
    run.has_kept = true
    if run.count > MAX_FILES then
      record.problem = "the job had changed " .. MAX_FILES .. " files before this one"
    end
    return record
  end

  local function keep(run, path, appends)
    local record = run.seen[path]
    if record and is_enough(record, appends) or is_ours(path) then return end
    if not record and run.count > MAX_FILES then return end
    local file, problem = open(path, "rb")
    if not file and is_dir(path) then return end
    record = record or begin_record(run, path)
    local content
    if file then
      content = not record.problem and content_before(record, file, appends) or nil
      file.close()
    elseif exists(path) then
      record.problem = record.problem or tostring(problem)
    else
      record.absent = not record.problem or nil
    end
    local ok, failure = raw.pcall(packs.add, record, content)
    if not ok and content then record.problem = tostring(failure) end
  end

  --- Functions that are in place while a job runs (see mcp.overlay).
  local function patches_for(id)
    local run = { id = gsub(id, "%s", "_"), seen = {}, names = {}, count = 0 }
    runs[id] = run

    --- A failure here must not fail the job.
    local function before(path, appends)
      preempt.begin_section()
      raw.pcall(keep, run, path, appends)
      preempt.end_section()
    end

    local function each_file(path, visit)
      if not is_dir(path) then return visit(path) end
      if is_ours(path .. "/") then return end
      for _, name in ipairs(list(path)) do
        if run.count > MAX_FILES then return end
        each_file(path .. "/" .. name, visit)
      end
    end

    local function each(path, visit)
      raw.pcall(each_file, clean(path), visit or before)
    end

    --- Files that will be at `to`, one for each in `from`.
    local function arrivals(from, to)
      local from_path, to_path = clean(from), clean(to)
      each(from, function(path)
        before(to_path .. sub(path, #from_path + 1))
      end)
    end

    return {
      {
        fs,
        "open",
        function(path, mode)
          if type(path) == "string" and type(mode) == "string" and find(mode, "[wa+]") then
            local appends = byte(mode) == 97
            local record = run.seen[run.names[path]]
            if not (record and is_enough(record, appends)) then
              local name = clean(path)
              before(name, appends)
              if run.seen[name] then run.names[path] = name end
            end
          end
          return open(path, mode)
        end,
      },
      {
        fs,
        "delete",
        function(path)
          if type(path) == "string" then each(path) end
          return delete(path)
        end,
      },
      {
        fs,
        "move",
        function(from, to)
          if type(from) == "string" and type(to) == "string" then
            arrivals(from, to)
            each(from)
          end
          return move(from, to)
        end,
      },
      {
        fs,
        "copy",
        function(from, to)
          if type(from) == "string" and type(to) == "string" then arrivals(from, to) end
          return copy(from, to)
        end,
      },
    }
  end

  --- A job has ended: from now on other things may change its files.
  -- @treturn boolean|nil whether it changed files
  local function leave(id)
    local run = runs[id]
    runs[id] = nil
    if not run then return nil end
    for _, record in pairs(run.seen) do
      record.mark = mark_of(record.path)
    end
    return run.has_kept
  end

  --- Keeps what a job changes, until it calls its `leave`.
  -- @tparam table|nil patches what is replaced while it runs
  function self.follow(job, patches)
    if not patches then return end
    for _, patch in ipairs(patches_for(job.id)) do
      patches[#patches + 1] = patch
    end
    job.leave = function()
      return leave(job.id)
    end
  end

  local function has_keys(record, text)
    return keys.are_in(text, string.lower(match(record.path, "[^/]*$")))
  end

  --- What a job left, as long as nothing has changed that since. Plain text is returned: the bridge makes its
  -- hash in a fraction of the time.
  local function left_by(record, turn)
    if record.after or not record.mark then return end
    local mark, size = mark_of(record.path)
    if mark ~= record.mark then return end
    if mark == "absent" then
      record.after = { absent = true }
    elseif size and size <= 8 * MAX_FILE then
      local text = read(record.path)
      if text and #text <= MAX_FILE and is_plain(text) and not has_keys(record, text) then
        return text
      end
      record.after = text and { size = #text, hash = hash.of(text, turn) }
    end
  end

  local function content_of(record, left)
    local text
    if record.size then
      text = packs.content_of(record)
    elseif record.length > MAX_FILE then
      return nil, "it was too large to keep (" .. record.length .. " bytes)"
    elseif left or record.after then
      text = left or read(record.path)
    else
      return nil, "only its length was kept, and something changed it since"
    end
    if not text then return nil, "what was kept of it is gone" end
    if record.length then text = sub(text, 1, record.length) end
    if has_keys(record, text) then return nil, "it holds keys of this computer" end
    return text
  end

  local function describe(record, turn)
    local left = left_by(record, turn)
    local entry = {
      id = string.format("%d", record.n),
      job = record.job,
      path = record.path,
      time = record.time,
      after = record.after,
      left = left,
      problem = record.problem,
    }
    if record.absent then
      entry.absent = true
    elseif left and record.length and not record.problem then
      entry.length = record.length
    elseif not record.problem then
      local text, problem = content_of(record, left)
      entry.problem = problem
      if text and is_plain(text) then
        entry.text = text
      else
        entry.content = text and base64.encode(text)
      end
    end
    return entry
  end

  local function forget(ids)
    local gone = {}
    for _, id in ipairs(ids) do
      gone[tostring(id)] = true
    end
    for at = #records, 1, -1 do
      local record = records[at]
      if gone[string.format("%d", record.n)] then
        table.remove(records, at)
        packs.remove(record)
      end
    end
    if #records == 0 then packs.clear() end
  end

  --- Of a job that still runs: what it writes next is another change.
  local function close_running()
    for _, run in pairs(runs) do
      for path, record in pairs(run.seen) do
        record.mark = mark_of(path)
      end
      run.seen, run.names, run.count = {}, {}, 0
    end
  end

  --- The oldest of what is kept, with the time here; `forget` names what the bridge has.
  function self.collect(params, turn)
    if type(params.forget) == "table" then forget(params.forget) end
    close_running()
    packs.close()
    local files, room = json.array(), PAGE
    for _, record in ipairs({ table.unpack(records, 1, MAX_FILES) }) do
      if room <= 0 then break end
      local entry = describe(record, turn)
      files[#files + 1] = entry
      room = room - #(entry.content or entry.text or "") - #(entry.left or "") - 256
    end
    return { files = files, more = #files < #records or nil, now = os.epoch("utc") }
  end

  return self
end

return { new = new }
