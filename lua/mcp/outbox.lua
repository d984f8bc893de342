local alarm = require("mcp.alarm")
local protocol = require("mcp.protocol")

local MIN_LIMIT = protocol.MIN_FRAME
local RETRY_SECONDS = 0.1

local function new(handle, link)
  local queue, first, last = {}, 1, 0
  local limit, may_chunk = protocol.MAX_FRAME, false
  local transfers = 0
  local bytes = 0
  local retry = alarm.new()
  local self = {}

  local function cut(text)
    if not may_chunk or #text <= limit then return { text } end
    transfers = transfers + 1
    return require("mcp.chunks").split(text, limit, link .. "-" .. transfers)
  end

  local function append(piece, source)
    last, bytes = last + 1, bytes + #piece
    queue[last] = { text = piece, source = source }
  end

  --- The game's limit is below ours: split the frame again, smaller.
  local function shrink(item)
    limit = math.floor(limit / 2)
    if not may_chunk or limit < MIN_LIMIT then return false end
    local rest = {}
    for index = first, last do
      if queue[index].source ~= item.source then rest[#rest + 1] = queue[index] end
    end
    local pieces = cut(item.source.text)
    queue, first, last, bytes = {}, 1, 0, 0
    for _, piece in ipairs(pieces) do
      append(piece, item.source)
    end
    for _, other in ipairs(rest) do
      append(other.text, other.source)
    end
    return true
  end

  local function done(item)
    queue[first] = nil
    first, bytes = first + 1, bytes - #item.text
    local following = queue[first]
    if item.source.on_sent and (not following or following.source ~= item.source) then
      item.source.on_sent()
    end
  end

  local function flush()
    while first <= last do
      local item = queue[first]
      local ok, problem = pcall(handle.send, item.text)
      if ok then
        done(item)
      elseif string.find(tostring(problem), "Too many ongoing", 1, true) then
        if not retry.is_set() then retry.set(RETRY_SECONDS) end
        return nil
      elseif string.find(tostring(problem), "too large", 1, true) then
        -- Drop what will never pass: it would fail on the next link too.
        if not shrink(item) then done(item) end
      else
        return tostring(problem)
      end
    end
    return nil
  end

  function self.limit(max_frame, chunking)
    if max_frame then limit = math.max(MIN_LIMIT, math.min(limit, max_frame)) end
    may_chunk = chunking
  end

  function self.fits(text)
    return #text <= (may_chunk and protocol.MAX_OUTGOING or limit)
  end

  function self.must_cut(text)
    return may_chunk and #text > limit
  end

  function self.cutter()
    return function(text)
      return { owner = self, limit = limit, list = cut(text) }
    end
  end

  function self.push(text, on_sent, messages)
    if messages and messages.owner ~= self then return nil end
    local source = { text = text, on_sent = on_sent }
    local fresh = messages and messages.limit == limit
    for _, piece in ipairs(fresh and messages.list or cut(text)) do
      append(piece, source)
    end
    return flush()
  end

  function self.backlog()
    return bytes
  end

  self.timer = retry.take

  function self.look()
    if retry.rang() then return flush() end
  end

  return self
end

return { new = new }
