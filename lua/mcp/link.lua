--- One WebSocket to the bridge, for ever: dial, greet, listen, notice silence, dial again.
--
-- A state machine on events; it never waits. It owns one timer, whatever for, so none pile up.

local backoff = require("mcp.backoff")
local chunks = require("mcp.chunks")
local explain = require("mcp.explain")
local frames = require("mcp.frames")
local json = require("mcp.json")
local outbox = require("mcp.outbox")

--- The game gives up after 30 s; its answer may get lost in a full event queue.
local DIAL_SECONDS = 45
local HELLO_SECONDS = 15
--- A link that lasted this long was a good one: the next pause is short again.
local STABLE_SECONDS = 10
local GRACE_SECONDS = 2

--- @tparam table options `url`, `once`, `hello()` (its text), `on_linked(frame)`, `on_request(frame)`,
-- `on_cancel(frame)`, `on_ack(frame)`, `on_lost(failure, pause)` (`pause` is nil when it is over)
local function new(options)
  local base = string.find(options.url, "^%w+://[^/]+/") and options.url or options.url .. "/"
  local prefix = base .. "#"
  local pauses = backoff.new(options.random)
  local attempt, dialled_url, handle, joiner = 0, nil, nil, nil
  local timer, purpose, armed_at
  --- The last timer that was cancelled: its event may be in the queue already, and is still ours.
  local cancelled
  local heartbeat, last_heard, linked_at, grace
  local out
  local spent = {}
  local self = { state = "idle", protocol = 0, links = 0 }

  --- Sets the one timer, or clears it.
  local function arm(seconds, what)
    if timer then
      os.cancelTimer(timer)
      cancelled = timer
    end
    timer = seconds and os.startTimer(seconds) or nil
    purpose, armed_at = what, os.clock()
  end

  --- Lets go of the socket. A handle that the game closed must not be touched again.
  local function release(closed_already)
    local old = handle
    handle, dialled_url, joiner, out = nil, nil, nil, nil
    if old and not closed_already then pcall(old.close) end
  end

  --- The link is gone, or did not come about: explain, then stop or wait.
  local function lose(reason, closed_already)
    release(closed_already)
    if self.state == "linked" and os.clock() - linked_at >= STABLE_SECONDS then pauses.reset() end
    local failure = explain.failure(reason, options.url)
    if failure.fatal or options.once then
      self.state = "stopped"
      arm(nil)
      options.on_lost(failure, nil)
      return
    end
    self.state = "waiting"
    if failure.slow then pauses.slow() end
    local pause = pauses.next()
    arm(pause, "dial")
    options.on_lost(failure, pause)
  end

  --- A message could not be sent. CraftOS-PC freezes for good when a socket that sending found closed
  -- is closed or collected after that: such a one is left alone, and kept.
  local function cannot_send(problem)
    local closed = string.find(problem, "closed file", 1, true) ~= nil
    if closed then spent[#spent + 1] = handle end
    lose(problem, closed)
  end

  local function dial()
    attempt = attempt + 1
    dialled_url = prefix .. attempt
    self.state = "dialling"
    arm(DIAL_SECONDS, "give-up")
    -- A failure at once is an event too, but some are thrown.
    local ok, problem = pcall(http.websocketAsync, dialled_url)
    if not ok then lose(tostring(problem)) end
  end

  local function greet(socket)
    handle = socket
    self.state = "greeting"
    joiner = chunks.new_joiner(frames.MAX_INCOMING)
    arm(HELLO_SECONDS, "hello")
    out = outbox.new(handle, attempt)
    local problem = out.push(options.hello())
    if problem then cannot_send(problem) end
  end

  local function linked(frame)
    self.state = "linked"
    self.links = self.links + 1
    self.protocol = tonumber(frame.protocol) or 1
    out.limit(tonumber(frame.maxFrame), self.protocol >= 2)
    local beat = tonumber(frame.heartbeatMs)
    heartbeat = beat and math.max(beat, 1000) / 1000 or nil
    linked_at, last_heard, grace = os.clock(), os.clock(), nil
    arm(heartbeat and heartbeat * 3, "silence")
    options.on_linked(frame)
  end

  local receive

  local handlers = {
    ["hello-ok"] = function(frame)
      if self.state == "greeting" then linked(frame) end
    end,
    ["hello-error"] = function(frame)
      if self.state ~= "greeting" then return end
      lose({ code = tostring(frame.code), message = tostring(frame.message or frame.code) })
    end,
    request = function(frame)
      if self.state == "linked" then options.on_request(frame) end
    end,
    cancel = function(frame)
      if self.state == "linked" then options.on_cancel(frame) end
    end,
    ack = function(frame)
      if self.state == "linked" then options.on_ack(frame) end
    end,
    chunk = function(frame)
      local text = joiner.push(frame)
      if text then receive(text) end
    end,
  }

  function receive(text)
    local frame = json.decode(text)
    -- Whatever is no frame, or one of a later version, is not for us.
    local handler = type(frame) == "table" and handlers[frame.type]
    if handler then handler(frame) end
  end

  local function heard()
    last_heard, grace = os.clock(), nil
    if self.state == "linked" and heartbeat and last_heard - armed_at >= heartbeat / 2 then
      arm(heartbeat * 3, "silence")
    end
  end

  local function listen_for_silence()
    local quiet = os.clock() - last_heard
    if quiet < heartbeat * 3 - 0.1 then return arm(heartbeat * 3 - quiet, "silence") end
    if not grace then
      -- After a long stall the bridge's frames may wait in the queue behind this timer.
      grace = true
      return arm(GRACE_SECONDS, "silence")
    end
    lose("no sign of life")
  end

  local function on_timer()
    timer = nil
    if purpose == "dial" then
      dial()
    elseif purpose == "give-up" then
      lose("Timed out")
    elseif purpose == "hello" then
      lose("no hello-ok")
    elseif purpose == "silence" and self.state == "linked" then
      listen_for_silence()
    end
  end

  local function on_closed(reason, code)
    if self.state ~= "greeting" and self.state ~= "linked" then return end
    -- Without a code the line broke, whatever the text: "Could not connect" is one of the game's.
    lose({ close = code or 0, message = reason or "Connection closed" }, true)
  end

  --- Takes an event. Returns whether it was the link's own.
  function self.handle(name, url, value, extra)
    if name == "timer" then
      if url == cancelled and url ~= nil then return true end
      if url ~= timer or timer == nil then return out ~= nil and out.timer(url) end
      on_timer()
      return true
    end
    if type(url) ~= "string" or string.sub(url, 1, #prefix) ~= prefix then return false end
    local ours = url == dialled_url
    if name == "websocket_success" then
      if ours and self.state == "dialling" then
        greet(value)
      else
        pcall(value.close)
      end
    elseif name == "websocket_failure" then
      if ours and self.state == "dialling" then lose(tostring(value)) end
    elseif name == "websocket_message" then
      if ours and handle and not extra then
        heard()
        receive(value)
      end
    elseif name == "websocket_closed" then
      if ours and handle then on_closed(value, extra) end
    else
      return false
    end
    return true
  end

  --- Sends the text of a frame, in pieces if need be. `on_sent` is called when the last has left.
  -- @treturn boolean false if this bridge cannot take it at all
  function self.send(text, on_sent)
    if self.state ~= "linked" then return true end
    if not out.fits(text) then return false end
    local problem = out.push(text, on_sent)
    if problem then cannot_send(problem) end
    return true
  end

  function self.is_linked()
    return self.state == "linked"
  end

  --- Whether the bridge follows output and jobs; a version 1 bridge knows only answers.
  function self.offers_jobs()
    return self.state == "linked" and self.protocol >= 2
  end

  self.start = dial

  --- Ends the link for good.
  function self.stop()
    self.state = "stopped"
    arm(nil)
    release()
  end

  return self
end

return { new = new }
