local brief = require("mcp.brief")
local config = require("mcp.config")
local frames = require("mcp.frames")
local identity = require("mcp.identity")
local jobs_module = require("mcp.jobs")
local keys = require("mcp.keys")
local link_module = require("mcp.link")
local lock = require("mcp.lock")
local methods = require("mcp.methods")
local monitors = require("mcp.mirror.monitors")
local offered = require("mcp.offered.tools")
local program = require("mcp.program")
local report_module = require("mcp.report")
local running = require("mcp.running")
local scheduler_module = require("mcp.scheduler")
local screen_module = require("mcp.screen")

local EVENT = running.EVENT

--- Of the parts that are created when they are first asked for: those that look at the time.
local LATER = { "events", "boot", "watches" }

--- Parts that many computers never need: they and their modules are loaded when they are first asked for.
local function create_later(parts, hello)
  local create = {
    events = function()
      return require("mcp.events").new(parts.link)
    end,
    programs = function()
      return require("mcp.mirror.programs").new(parts.screen)
    end,
    watches = function()
      return require("mcp.mirror.watches").new(parts.link)
    end,
    turtle = function()
      return turtle and require("mcp.turtle.driver").new()
    end,
    before = function()
      return require("mcp.before").new()
    end,
    boot = function()
      return require("mcp.boot").new({
        start = parts.jobs.start_program,
        on_problem = parts.report.notice,
        on_start = function()
          if parts.link.offers_jobs() then parts.link.send(hello()) end
        end,
      })
    end,
  }
  setmetatable(parts, {
    __index = function(_, name)
      local part = create[name] and create[name]() or nil
      parts[name] = part
      return part
    end,
  })
end

--- A part, if it was created.
local function created(parts, name)
  return rawget(parts, name)
end

--- In place of a prompt: there is nothing to do, or to say of it.
local NO_PROMPT = setmetatable({}, {
  __index = function()
    return function() end
  end,
})

--- The parts of the program, put together. They know each other only through what they are given here.
-- @tparam table options see `run`
-- @tparam table state `stopped`, `failed`, `restarts`: set by the parts, read by the loop
local function assemble(options, state)
  local parts =
    { screen = screen_module.new(options.background or options.share), url = options.url }
  local said_label

  local function hello()
    said_label = identity.label()
    return frames.hello({
      token = options.token,
      secret = config.secret_for(brief.public_url(options.url)),
      world = options.world,
      methods = methods.names(parts.server ~= nil),
      jobs = parts.jobs.ids(),
      run = parts.jobs.run,
      programs = parts.jobs.programs(),
      allow = lock.restricted_to(),
      keeps = fs.exists(keys.BEFORE) or created(parts, "before") ~= nil,
    })
  end

  --- Whether there is something to do without a link: the player's prompt and programs do not end with it.
  local function goes_on()
    return not options.once and (parts.prompt.program() or parts.jobs.has_programs())
  end

  parts.scheduler = scheduler_module.new()
  create_later(parts, hello)
  if options.server then
    parts.server = require("mcp.server").new(parts.scheduler, options.server)
  end
  parts.link = link_module.new({
    url = options.url,
    once = options.once,
    scheduler = parts.scheduler,
    hello = hello,
    on_linked = function(frame)
      if parts.link.links == 1 then
        program.confirm()
        local bridge = type(frame.bridge) == "table" and frame.bridge.version
        if program.is_newer(bridge) then parts.report.offer(brief.one_line(bridge)) end
        local saved = not options.remember
          or config.save({ url = options.url, token = options.token or false })
        if not saved then
          parts.report.notice("The bridge's address is not remembered: the disk is full.")
        elseif not identity.is_kept() then
          parts.report.notice("The disk is full: the bridge will not know this computer again.")
        end
      end
      parts.report.linked()
      parts.jobs.catch_up(frame)
      parts.tools.linked()
      parts.report.refresh()
    end,
    on_pairing = function(code)
      parts.report.pairing(code)
    end,
    on_paired = function(secret)
      local saved = config.save_secret(secret, brief.public_url(options.url))
      parts.report.paired(saved)
      return saved
    end,
    on_lost = function(failure, pause)
      if not pause then
        state.failed = true
        if not goes_on() then state.stopped = true end
      end
      for _, name in ipairs({ "events", "watches" }) do
        local part = created(parts, name)
        if part then part.suspend() end
      end
      parts.report.lost(failure, pause)
    end,
    on_request = function(frame)
      parts.jobs.request(frame)
    end,
    on_unreadable = function(id, problem)
      parts.jobs.unreadable(id, problem)
    end,
    on_cancel = function(frame)
      parts.jobs.cancel(frame)
    end,
    on_ack = function(frame)
      parts.jobs.ack(frame)
    end,
  })
  parts.tools = offered.new({
    scheduler = parts.scheduler,
    link = parts.link,
    on_broken = function(file, problem)
      parts.report.notice(file .. ": " .. problem)
    end,
  })
  parts.monitors = monitors.new()
  parts.prompt = not options.share and NO_PROMPT
    or require("mcp.mirror.prompt").new(parts.scheduler, function()
      state.stopped = true
    end)
  parts.jobs = jobs_module.new({
    scheduler = parts.scheduler,
    methods = methods.methods,
    services = parts,
    link = parts.link,
    on_change = function()
      if parts.link.offers_jobs() and identity.label() ~= said_label then
        parts.link.send(hello())
      end
      if state.failed and not goes_on() then state.stopped = true end
      parts.tools.soon()
      parts.report.refresh()
    end,
  })
  parts.report = report_module.new(parts)
  if parts.server then parts.server.on_notice = parts.report.server end
  return parts
end

local function own_event(parts, state, event)
  local what, value = event[2], event[3]
  if what == "slice" then
    parts.scheduler.slice(value)
  elseif what == "terminate" then
    parts.scheduler.terminate(value)
  elseif what == "stop" then
    state.stopped = true
  elseif what == "restart" then
    -- With what was typed at its start, or with what is remembered now.
    state.stopped, state.restarts = true, event[4] == "remembered" and "remembered" or "same"
    if value then os.queueEvent(EVENT, "answer", value, "restarting") end
  elseif what == "status" then
    os.queueEvent(EVENT, "answer", value, parts.report.text())
  elseif what == "share" or what == "unshare" then
    local on = what == "share"
    local done = parts.prompt.share(on)
    os.queueEvent(EVENT, "answer", value, done and (on and "shared" or "not shared") or "no prompt")
    parts.report.refresh()
  elseif what == "answer" then
    parts.scheduler.deliver(event)
  end
end

local function shown_program(parts)
  local programs = created(parts, "programs")
  return programs and programs.shown()
end

--- Ctrl+T, or a terminate event from outside of our jobs, which only get their own.
local function terminate(parts, state, event, background)
  local shown = shown_program(parts) or parts.prompt.program()
  if shown then
    shown.post(event)
  elseif not background then
    -- In the background, Ctrl+T is for the program on the screen.
    state.stopped = true
  end
end

local function take_offer(parts, state, event)
  local is_key = event[1] == "char" and (event[2] == "u" or event[2] == "U")
  if not is_key or not parts.report.offered() then return end
  if parts.screen.is_silent or shown_program(parts) then return end
  parts.report.offer(nil)
  parts.report.notice("Updating...")
  parts.scheduler.spawn({
    run = function()
      return require("mcp.update").fetch(parts.url)
    end,
    on_done = function(_, ok, found, changed)
      if ok and found and changed then
        state.stopped, state.restarts = true, "same"
      else
        parts.report.notice(ok and (found and "There is nothing newer." or changed) or found)
      end
    end,
  })
end

local function is_own(parts, event)
  local name, id = event[1], event[2]
  if name == "timer" then
    if parts.jobs.timer(id) or parts.tools.timer(id) or parts.report.timer(id) then return true end
    for _, each in ipairs(LATER) do
      local part = created(parts, each)
      if part and part.timer(id) then return true end
    end
  end
  return parts.link.handle(name, id, event[3], event[4])
end

local function handle(parts, state, event, background)
  local name = event[1]
  if name == "terminate" then
    terminate(parts, state, event, background)
  elseif name == EVENT then
    own_event(parts, state, event)
  elseif not is_own(parts, event) then
    if name == "term_resize" then parts.screen.redraw() end
    take_offer(parts, state, event)
    -- First: a task may change what is in the event.
    local events = created(parts, "events")
    if events then events.offer(event) end
    parts.monitors.event(event)
    parts.scheduler.deliver(event)
  end
  parts.scheduler.deliver_posts()
  parts.link.look()
  parts.tools.look()
  parts.jobs.look()
  for _, each in ipairs(LATER) do
    local part = created(parts, each)
    if part then part.look() end
  end
  parts.report.look()
end

--- The game's time limit may hit this loop instead of the code that used the time.
local function recover(parts, problem)
  parts.report.fault(problem)
  pcall(function()
    parts.scheduler.recover()
    parts.jobs.recover(brief.one_line(problem))
    parts.link.recover()
    parts.report.refresh()
  end)
end

--- Runs until stopped.
-- @tparam table options `url`, `token`, `world`, `once`, `background`, `share`, `remember`, `server` (a name)
-- @treturn boolean whether it ended well
-- @treturn string|nil "same" or "remembered" (the bridge) if it ended in order to be started again
local function run(options)
  local state = { stopped = false, failed = false, restarts = nil }
  local parts = assemble(options, state)
  local leave = running.enter(parts.scheduler.is_task, parts.monitors.stop)
  if config.setting("monitors") ~= false then parts.monitors.start() end
  if lock.is_open() and shell and fs.exists(config.BOOT_FILE) then parts.boot.start() end
  parts.link.start()
  if lock.is_open() then parts.tools.start() end
  if parts.server then parts.server.start() end
  if options.share then parts.prompt.start() end
  parts.report.refresh()
  while not state.stopped do
    local ok, problem = pcall(function()
      while not state.stopped do
        handle(parts, state, parts.scheduler.next_event(), options.background)
      end
    end)
    if not ok then recover(parts, problem) end
  end
  parts.link.stop()
  -- What stays on the screen is no longer connecting, or linked.
  parts.report.refresh()
  if state.restarts and created(parts, "boot") then parts.boot.settle() end
  parts.tools.stop()
  if parts.server then parts.server.stop() end
  parts.monitors.stop()
  parts.screen.close()
  if parts.prompt.close() and not state.restarts then print("mcp-computer stopped.") end
  leave()
  return not state.failed, state.restarts
end

return { run = run }
