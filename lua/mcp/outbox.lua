--- Messages on their way out of one socket, within what the game and the bridge take.

local chunks = require("mcp.chunks")
local frames = require("mcp.frames")

local MIN_LIMIT = 1024
local RETRY_SECONDS = 0.1

--- @param handle the socket
-- @tparam number link tells the transfers of this socket apart
local function new(handle, link)
  local queue, first, last = {}, 1, 0
  local limit, may_chunk = frames.MAX_FRAME, false
  local transfers = 0
  local retry_timer
  local self = {}

  local function cut(text)
    if not may_chunk then return { text } end
    transfers = transfers + 1
    return chunks.split(text, limit, link .. "-" .. transfers)
  end

  --- The game's own limit is below ours: cut the frame anew, smaller.
  local function shrink(item)
    limit = math.floor(limit / 2)
    if not may_chunk or limit < MIN_LIMIT then return false end
    local rest = {}
    for index = first, last do
      if queue[index].source ~= item.source then rest[#rest + 1] = queue[index] end
    end
    local pieces = cut(item.source.text)
    queue, first, last = {}, 1, 0
    for _, piece in ipairs(pieces) do
      last = last + 1
      queue[last] = { text = piece, source = item.source }
    end
    for _, other in ipairs(rest) do
      last = last + 1
      queue[last] = other
    end
    return true
  end

  --- Gives up on a message that will never pass; sending it again on the next link would not help.
  local function skip(item)
    queue[first] = nil
    first = first + 1
    if item.source.on_sent then item.source.on_sent() end
  end

  --- Sends as much as the game takes. Returns why the socket is unusable, if it is.
  local function flush()
    while first <= last do
      local item = queue[first]
      local ok, problem = pcall(handle.send, item.text)
      if ok then
        queue[first] = nil
        first = first + 1
        local source = item.source
        local following = queue[first]
        if source.on_sent and (not following or following.source ~= source) then
          source.on_sent()
        end
      elseif string.find(tostring(problem), "Too many ongoing", 1, true) then
        if not retry_timer then retry_timer = os.startTimer(RETRY_SECONDS) end
        return nil
      elseif string.find(tostring(problem), "too large", 1, true) then
        if not shrink(item) then skip(item) end
      else
        return tostring(problem)
      end
    end
    return nil
  end

  --- What the bridge said it takes.
  function self.limit(max_frame, chunking)
    if max_frame then limit = math.max(MIN_LIMIT, math.min(limit, max_frame)) end
    may_chunk = chunking
  end

  --- Whether a frame can be sent at all.
  function self.fits(text)
    return #text <= (may_chunk and frames.MAX_OUTGOING or limit)
  end

  --- Queues a frame and sends what can be sent.
  function self.push(text, on_sent)
    local source = { text = text, on_sent = on_sent }
    for _, piece in ipairs(cut(text)) do
      last = last + 1
      queue[last] = { text = piece, source = source }
    end
    return flush()
  end

  --- Whether a timer was ours; then tries again.
  function self.timer(id)
    if id == nil or id ~= retry_timer then return false end
    retry_timer = nil
    flush()
    return true
  end

  return self
end

return { new = new }
