--- The running program: one loop that hands events to the link, to jobs and to tasks.

local config = require("mcp.config")
local events = require("mcp.events")
local explain = require("mcp.explain")
local frames = require("mcp.frames")
local identity = require("mcp.identity")
local jobs_module = require("mcp.jobs")
local link_module = require("mcp.link")
local methods = require("mcp.methods")
local programs = require("mcp.mirror.programs")
local scheduler_module = require("mcp.scheduler")
local screen_module = require("mcp.screen")
local version = require("mcp.version")

local EVENT = scheduler_module.EVENT

local function plural(count, noun)
  return count .. " " .. noun .. (count == 1 and "" or "s")
end

--- Runs until stopped.
-- @tparam table options `url`, `token`, `world`, `once`, `background`, `remember`
-- @treturn boolean whether it ended well
local function run(options)
  local screen = screen_module.new(options.background)
  local scheduler = scheduler_module.new()
  local names = methods.names()
  programs.attach(screen)
  local forwarder = events.forwarder
  local stopped, failed = false, false
  local last_problem, waiting, said_label
  local jobs, link

  local function state_text()
    if link.is_linked() then
      local old = link.protocol < 2 and " (older bridge: no live output, no jobs)" or ""
      return "linked" .. old
    end
    if waiting then return string.format("not linked, next try in %d s", math.ceil(waiting)) end
    return "connecting"
  end

  local function refresh()
    local parts = { state_text() }
    local running = jobs.running()
    if running > 0 then parts[#parts + 1] = plural(running, "job") .. " running" end
    if link.links > 1 then parts[#parts + 1] = plural(link.links - 1, "reconnect") end
    local problem = last_problem or jobs.last_error
    local first_line = problem and string.match(problem, "^[^\n]*")
    screen.status(table.concat(parts, ", "), first_line and "last error: " .. first_line)
  end

  local function on_linked(frame)
    waiting = nil
    screen.recovered()
    if link.links == 1 then
      screen.print(
        "linked as " .. explain.one_line(identity.describe()),
        "waiting for requests... Press Ctrl+T to stop.",
        "Whoever drives that bridge controls this computer."
      )
      if options.remember then
        config.save({ url = options.url, token = options.token or false })
      end
    end
    jobs.catch_up(frame)
    refresh()
  end

  local function on_lost(failure, pause)
    waiting = pause
    forwarder.suspend()
    last_problem = failure.detail ~= "" and failure.detail or failure.text
    if not pause then
      stopped, failed = true, true
      screen.failure(failure)
      return
    end
    -- A bridge that restarts is nothing to explain.
    if failure.kind ~= "closed" or link.links == 0 then screen.failure(failure) end
    refresh()
  end

  local function hello()
    said_label = identity.label()
    return frames.hello({
      token = options.token,
      world = options.world,
      methods = names,
      jobs = jobs.ids(),
    })
  end

  --- Says hello again when a request changed the label.
  local function on_change()
    if link.offers_jobs() and identity.label() ~= said_label then link.send(hello()) end
    refresh()
  end

  link = link_module.new({
    url = options.url,
    once = options.once,
    hello = hello,
    on_linked = on_linked,
    on_lost = on_lost,
    on_request = function(frame)
      jobs.request(frame)
    end,
    on_cancel = function(frame)
      jobs.cancel(frame)
    end,
    on_ack = function(frame)
      jobs.ack(frame)
    end,
  })
  forwarder.attach(link)
  jobs = jobs_module.new({
    scheduler = scheduler,
    methods = methods.methods,
    link = link,
    on_change = on_change,
  })

  --- Our own events: from this program, or from `mcp-computer status` and `stop` elsewhere.
  local function own_event(what, nonce)
    if what == "slice" then
      scheduler.slice()
    elseif what == "stop" then
      stopped = true
    elseif what == "status" then
      local lines = {
        "linked to " .. options.url .. " as " .. identity.describe(),
        plural(jobs.running(), "job")
          .. " running, "
          .. plural(math.max(0, link.links - 1), "reconnect"),
      }
      if not link.is_linked() then lines[1] = options.url .. ": " .. state_text() end
      if last_problem then lines[3] = "last error: " .. last_problem end
      os.queueEvent(EVENT, "answer", nonce, table.concat(lines, "\n"))
    end
  end

  local function handle(event)
    local name = event[1]
    if name == "terminate" and programs.shown() then
      programs.shown().post(event)
    elseif name == "terminate" then
      -- In the background, Ctrl+T is meant for the program on the screen.
      if not options.background then stopped = true end
    elseif name == EVENT then
      own_event(event[2], event[3])
      -- A job may have asked for the status.
      if event[2] == "answer" then scheduler.deliver(event) end
    else
      local own = (name == "timer" and (jobs.timer(event[2]) or forwarder.timer(event[2])))
        or link.handle(name, event[2], event[3], event[4])
      if name == "term_resize" then screen.redraw() end
      if not own then
        -- First: a task may change what is in the event.
        forwarder.offer(event)
        scheduler.deliver(event)
      end
    end
    scheduler.deliver_posts()
    jobs.pump()
  end

  screen.print("mcp-computer v" .. version.text() .. " connecting to " .. options.url)
  link.start()
  while not stopped do
    local ok, problem = pcall(function()
      while not stopped do
        handle(scheduler.next_event())
      end
    end)
    if not ok then
      -- The game's time limit may strike here instead of in the code that ate the time.
      last_problem = explain.one_line(problem)
      pcall(function()
        scheduler.recover()
        jobs.recover(last_problem)
        refresh()
      end)
    end
  end
  link.stop()
  screen.close()
  return not failed
end

return { run = run }
