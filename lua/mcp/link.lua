--- The WebSocket to the bridge: dials, greets, detects silence and reconnects. An event-driven
-- state machine that never blocks. Its single deadline is checked on every event, because the game
-- may drop any timer event.

local alarm = require("mcp.alarm")
local backoff = require("mcp.backoff")
local clock = require("mcp.clock")
local inbox_module = require("mcp.inbox")
local outbox = require("mcp.outbox")

--- The game gives up after 30 s, but its event may be lost.
local DIAL_SECONDS = 45
--- The greeting may be lost too: repeat the hello up to this many times.
local HELLO_SECONDS, HELLOS = 5, 3
--- Frames before the greeting: how many are kept, and how soon the next hello is sent.
local MAX_EARLY, EARLY_SECONDS = 16, 1
--- Heartbeats without a frame before the bridge is asked for one, and before the link counts as
-- dead. Then one more grace period: after a stall its frames may be queued behind our timer.
local ASK_BEATS, DEAD_BEATS, GRACE_SECONDS = 2, 3, 2
--- Delay of a backup timer for dialling: without a link there may be no other event.
local SPARE_SECONDS = 5
--- How long a program that stops waits for the socket that it dialled: nothing else would close it, and a
-- computer has four. And the longest pause when all four are taken, perhaps by a program that just ended.
local CLOSE_SECONDS, TAKEN_SECONDS = 1.5, 1

--- A unique URL prefix for one run of the program. All programs of a computer see the events of all
-- sockets, and only the URL distinguishes them. The fragment is not sent; the empty query or
-- parameter before it is there because version 0.1 closes every socket whose URL is its own
-- followed by `#`.
local function unique_prefix(url)
  local base = string.find(url, "^%w+://[^/]+/") and url or url .. "/"
  local separator = string.find(base, "?", 1, true) and "&" or "?"
  return string.format("%s%s#%.0f.%d-", base, separator, os.epoch("utc"), math.random(0, 999999))
end

--- @tparam table options `url`, `once`, `scheduler`, `hello()` (its text), `on_linked(frame)`,
-- `on_pairing(code)`, `on_paired(secret)` (returns whether it is kept), `on_request(frame)`,
-- `on_unreadable(id, problem)`, `on_cancel(frame)`, `on_ack(frame)`, `on_lost(failure, pause)`
-- (`pause` is nil when there is no retry)
local function new(options)
  local prefix = unique_prefix(options.url)
  local pauses = backoff.new(options.random)
  local attempt, dialled_url, handle = 0, nil, nil
  local deadline, spare, purpose, armed_at = alarm.new(), alarm.new(), nil, 0
  local heartbeat, last_heard, asked
  local inbox, out
  local hellos, hello_at, early = 0, 0, {}
  local spent = {}
  local self = { state = "idle", protocol = 0, links = 0 }

  local function arm(seconds, what)
    deadline.clear()
    spare.clear()
    if seconds then deadline.set(seconds) end
    if what == "dial" then spare.set(seconds + SPARE_SECONDS) end
    purpose, armed_at = what, clock.seconds()
  end

  --- A handle that the game closed must not be touched again.
  local function release(closed_already)
    local old = handle
    if inbox then inbox.close() end
    handle, dialled_url, inbox, out, early = nil, nil, nil, nil, {}
    if old and not closed_already then pcall(old.close) end
  end

  local function lose(reason, closed_already)
    release(closed_already)
    local failure = require("mcp.explain").failure(reason, options.url)
    if failure.fatal or options.once then
      self.state = "stopped"
      arm(nil)
      options.on_lost(failure, nil)
      return
    end
    self.state = "waiting"
    if failure.slow then pauses.slow() end
    local pause = pauses.next()
    if failure.kind == "too-many-websockets" then pause = math.min(pause, TAKEN_SECONDS) end
    arm(pause, "dial")
    options.on_lost(failure, pause)
  end

  --- CraftOS-PC freezes when a socket found closed by sending is closed or collected afterwards, so
  -- keep a reference and leave it alone.
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
    local ok, problem = pcall(http.websocketAsync, dialled_url)
    if not ok then lose(tostring(problem)) end
  end

  local receive

  local function say_hello()
    hellos, hello_at = hellos + 1, clock.seconds()
    arm(HELLO_SECONDS, "hello")
    local problem = out.push(options.hello())
    if problem then cannot_send(problem) end
  end

  local function greet(socket)
    handle = socket
    self.state = "greeting"
    inbox = inbox_module.new({
      scheduler = options.scheduler,
      on_frame = receive,
      on_unreadable = options.on_unreadable,
    })
    out = outbox.new(handle, attempt)
    hellos = 0
    say_hello()
  end

  local function linked(frame)
    self.state = "linked"
    self.links = self.links + 1
    self.protocol = tonumber(frame.protocol) or 1
    out.limit(tonumber(frame.maxFrame), self.protocol >= 2)
    local beat = tonumber(frame.heartbeatMs)
    heartbeat = beat and math.max(beat, 1000) / 1000 or nil
    last_heard, asked = clock.seconds(), 0
    -- The bridge is reachable: retry soon if it restarts.
    pauses.reset()
    arm(heartbeat and heartbeat * ASK_BEATS, "silence")
    options.on_linked(frame)
    local waiting = early
    early = {}
    for _, request in ipairs(waiting) do
      receive(request)
    end
  end

  local function linked_only(serve)
    return function(frame)
      if self.state == "linked" then return serve(frame) end
      if self.state ~= "greeting" then return end
      if #early < MAX_EARLY then early[#early + 1] = frame end
      if hellos < HELLOS then
        arm(math.max(0, hello_at + EARLY_SECONDS - clock.seconds()), "hello")
      end
    end
  end

  local handlers = {
    ["hello-ok"] = function(frame)
      if self.state == "greeting" then linked(frame) end
    end,
    ["hello-error"] = function(frame)
      if self.state ~= "greeting" then return end
      lose({ code = tostring(frame.code), message = tostring(frame.message or frame.code) })
    end,
    --- The bridge's owner must approve this computer; the link stays open until the code expires.
    pairing = function(frame)
      if self.state ~= "greeting" then return end
      hellos = HELLOS
      arm((tonumber(frame.expiresMs) or 600000) / 1000 + HELLO_SECONDS, "hello")
      options.on_pairing(tostring(frame.code))
    end,
    paired = function(frame)
      if self.state ~= "greeting" or type(frame.secret) ~= "string" then return end
      if not options.on_paired(frame.secret) then return lose("cannot keep the secret") end
      hellos = 0
      say_hello()
    end,
    request = linked_only(options.on_request),
    cancel = linked_only(options.on_cancel),
    ack = linked_only(options.on_ack),
  }

  function receive(frame)
    local handler = handlers[frame.type]
    if handler then handler(frame) end
  end

  local function heard()
    last_heard, asked = clock.seconds(), 0
    if self.state == "linked" and heartbeat and last_heard - armed_at >= heartbeat / 2 then
      arm(heartbeat * ASK_BEATS, "silence")
    end
  end

  --- Probes before closing. Older bridges do not ping a computer that talks, but all answer a hello
  -- on a linked socket.
  local function listen_for_silence()
    local quiet = clock.seconds() - last_heard
    local due = heartbeat * (asked == 0 and ASK_BEATS or DEAD_BEATS)
    if quiet < due - 0.1 then return arm(due - quiet, "silence") end
    if asked == 2 then return lose("no sign of life") end
    asked = asked + 1
    arm(math.max(GRACE_SECONDS, heartbeat * DEAD_BEATS - quiet), "silence")
    local problem = out.push(options.hello())
    if problem then cannot_send(problem) end
  end

  local function on_deadline()
    if purpose == "dial" then
      dial()
    elseif purpose == "give-up" then
      lose("Timed out")
    elseif purpose == "hello" then
      if hellos < HELLOS then return say_hello() end
      lose("no hello-ok")
    elseif purpose == "silence" and self.state == "linked" then
      listen_for_silence()
    end
  end

  local function on_closed(reason, code)
    if self.state ~= "greeting" and self.state ~= "linked" then return end
    -- Without a code the connection was lost, whatever the text: the game also says "Could not
    -- connect".
    lose({ close = code or 0, message = reason or "Connection closed" }, true)
  end

  function self.handle(name, url, value, extra)
    if name == "timer" then
      return deadline.take(url) or spare.take(url) or (out ~= nil and out.timer(url))
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
        inbox.push(value)
      end
    elseif name == "websocket_closed" then
      if ours and handle then on_closed(value, extra) end
    else
      return false
    end
    return true
  end

  function self.look()
    if deadline.rang() or spare.rang() then on_deadline() end
    local problem = out and out.look()
    if problem then cannot_send(problem) end
  end

  function self.recover()
    if inbox then inbox.resume() end
  end

  function self.takes(text)
    return out ~= nil and out.fits(text)
  end

  function self.must_cut(text)
    return out ~= nil and out.must_cut(text)
  end

  function self.cutter()
    return out.cutter()
  end

  function self.backlog()
    return out and out.backlog() or 0
  end

  function self.send(text, on_sent, messages)
    if self.state ~= "linked" then return end
    local problem = out.push(text, on_sent, messages)
    if problem then cannot_send(problem) end
  end

  function self.is_linked()
    return self.state == "linked"
  end

  function self.offers_jobs()
    return self.state == "linked" and self.protocol >= 2
  end

  self.start = dial

  function self.stop()
    local pending = self.state == "dialling" and dialled_url
    self.state = "stopped"
    arm(nil)
    release()
    local timer = pending and os.startTimer(CLOSE_SECONDS)
    while pending do
      local event, id, value = os.pullEventRaw()
      if event == "websocket_success" and id == pending then pcall(value.close) end
      local is_outcome = event == "websocket_success" or event == "websocket_failure"
      if (is_outcome and id == pending) or (event == "timer" and id == timer) then return end
    end
  end

  return self
end

return { new = new }
