--- Incoming messages of one socket: reassembled, decoded and dispatched in order. A long one is
-- decoded in a task, since it may exceed the time limit of an event. Later ones wait, or a cancel
-- would overtake its request.

local json = require("mcp.json")
local protocol = require("mcp.protocol")

local SHORT = 32 * 1024
--- The game silently drops what exceeds its queue, and so do we.
local MAX_WAITING = 256
local MAX_WAITING_BYTES = 2 * protocol.MAX_INCOMING

local function id_of(text)
  if not string.find(text, '^%s*{[^{]-"type"%s*:%s*"request"') then return nil end
  return string.match(string.sub(text, 1, 512), '"id"%s*:%s*"([^"\\]+)"')
end

local function new(options)
  local joiner
  local waiting, first, last, bytes = {}, 1, 0, 0
  local busy, closed = false, false
  local self = {}

  local take

  local function hand_on(frame)
    if closed or type(frame) ~= "table" then return end
    if frame.type ~= "chunk" then return options.on_frame(frame) end
    joiner = joiner or require("mcp.chunks").new_joiner(protocol.MAX_INCOMING)
    local text = joiner.push(frame)
    if text then take(text) end
  end

  local function drain()
    while not busy and not closed and first <= last do
      local text = waiting[first]
      waiting[first] = nil
      first, bytes = first + 1, bytes - #text
      take(text)
    end
  end

  local function decode_in_task(text)
    busy = true
    options.scheduler.spawn({
      run = function()
        return json.decode(text)
      end,
      on_done = function(_, ok, frame)
        busy = false
        local id = not ok and not closed and id_of(text)
        if id then options.on_unreadable(id, tostring(frame)) end
        if ok then hand_on(frame) end
        drain()
      end,
    })
  end

  function take(text)
    if #text > SHORT then return decode_in_task(text) end
    -- Frames of later versions are ignored.
    hand_on((json.decode(text)))
  end

  function self.push(text)
    if not busy and first > last then return take(text) end
    if last - first >= MAX_WAITING or bytes + #text > MAX_WAITING_BYTES then return end
    last, bytes = last + 1, bytes + #text
    waiting[last] = text
  end

  self.resume = drain

  function self.close()
    closed = true
  end

  return self
end

return { new = new }
