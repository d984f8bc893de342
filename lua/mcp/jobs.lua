--- Requests from the bridge: run, streamed, answered once, and kept while the link is down.

local alarm = require("mcp.alarm")
local brief = require("mcp.brief")
local clock = require("mcp.clock")
local deadline = require("mcp.deadline")
local frames = require("mcp.frames")
local history = require("mcp.history")
local preempt = require("mcp.preempt")

local MAX_RUNNING = 16
--- Programs have a limit of theirs: they may wait for input for ever.
local MAX_PROGRAMS = 16
--- Seconds for an answer to be sent before its `after` action.
local AFTER_PAUSE = 0.5
local MAX_UNACKNOWLEDGED = 16
--- Output of all jobs sent in one event, in bytes and milliseconds. The rest follows after a tick.
local AT_ONCE, AT_ONCE_MS = 256 * 1024, 250
local TICK = 0.05

local function new_run()
  return string.format("%.0f-%d", os.epoch("utc"), math.random(0, 999999))
end

--- @tparam table options `scheduler`, `methods` (see mcp.methods), `services` (the context of
-- methods), `link` (see mcp.link), `on_change()`
local function new(options)
  local scheduler, methods, link = options.scheduler, options.methods, options.link
  local jobs, order = {}, {}
  local over = history.new()
  local stream_alarm, after_alarm = alarm.new(), alarm.new()
  local deadlines = deadline.keeper(order, scheduler.cancel)
  local after
  --- Without acknowledgements, sent counts as delivered.
  local acknowledges = false
  --- `run`: while it is the same, a job that the bridge misses here never arrived.
  local self = { last_error = nil, run = new_run() }

  local function forget(job)
    jobs[job.id] = nil
    over.add(job.id)
    for index = #order, 1, -1 do
      if order[index] == job then table.remove(order, index) end
    end
  end

  local function answer_at_once(id, text)
    over.add(id)
    link.send(text)
  end

  local function deliver(job)
    if job.sending or not link.is_linked() then return end
    if job.stream and not job.stream.is_complete() then return end
    job.sending = true
    local text = link.takes(job.response) and job.response or require("mcp.answers").too_large(job)
    local function sent()
      if not acknowledges then self.ack(job) end
    end
    if not link.must_cut(text) then return link.send(text, sent) end
    local cut = link.cutter()
    scheduler.spawn({
      run = function()
        return cut(text)
      end,
      on_done = function(_, ok, messages)
        if ok then return link.send(text, sent, messages) end
        job.response =
          frames.failure(job.id, "the answer could not be sent: " .. tostring(messages))
        job.sending = nil
      end,
    })
  end

  local function forget_unwanted()
    local waiting = 0
    for index = #order, 1, -1 do
      local job = order[index]
      if job.response then waiting = waiting + 1 end
      if waiting > MAX_UNACKNOWLEDGED and job.response then
        self.run = new_run()
        forget(job)
      end
    end
  end

  local function answer(job, text)
    if job.progress then job.progress.send() end
    job.response = text
    forget_unwanted()
    deliver(job)
    options.on_change()
  end

  --- In a task: it may be long. A failure to encode is answered too.
  local function write_answer(job)
    job.task = {
      run = function()
        return require("mcp.answers").write(job)
      end,
      on_done = function(_, ok, text, problem)
        job.task = nil
        if not ok and job.cancelled then
          text = require("mcp.answers").cut_short(job)
        elseif not ok then
          problem = "the answer could not be written: " .. tostring(text)
          text = frames.failure(job.id, problem)
        end
        -- A request that ends well resolves the last problem.
        self.last_error = problem and { text = problem, time = brief.time() } or nil
        answer(job, text)
        if ok and not problem and job.method.after then
          after = job.method.after
          after_alarm.set(AFTER_PAUSE)
        end
      end,
    }
    scheduler.spawn(job.task)
  end

  local function finished(job, ...)
    job.outcome = table.pack(...)
    job.co = job.task.co
    if job.leave then job.kept = job.leave() end
    if job.captured and job.captured.close then pcall(job.captured.close) end
    write_answer(job)
  end

  local function capture(method, params, context)
    if not method.open then return method.capture and require("mcp.output").capture() or {} end
    local ok, captured, problem = pcall(method.open, params, context)
    if ok and captured then return captured end
    return nil, tostring(ok and problem or captured)
  end

  local function follow(job, captured)
    if not captured.buffer then return end
    job.captured = captured
    job.stream = require("mcp.stream").new(job.id, captured.buffer, link)
    job.progress = require("mcp.progress").new(job.id, link)
    captured.buffer.on_append = function()
      if job.task and job.stream.wants_rest() then preempt.rest(job.task) end
    end
  end

  --- Returns why it was not started.
  local function start(id, name, params, timeout)
    local method = methods[name]
    local context = setmetatable({ id = id }, { __index = options.services })
    local captured, problem = capture(method, params, context)
    if not captured then return problem end
    context.terminal = captured
    local job = { id = id, name = name, method = method, time_left = deadline.new(timeout) }
    job.command = method.open and params.command
    jobs[id], order[#order + 1] = job, job
    deadlines.clear()
    follow(job, captured)
    context.progress = job.progress and job.progress.tell
    for _, patch in ipairs(method.patches and method.patches(context) or {}) do
      table.insert(captured.patches, patch)
    end
    if type(params) == "table" and params.keep == true then
      options.services.before.follow(job, captured.patches)
    end
    job.task = {
      run = function()
        return method.run(params, context)
      end,
      patches = captured.patches,
      term = captured.term,
      accepts = captured.accepts,
      inbox = captured.inbox,
      is_held = job.stream and job.stream.is_behind,
      on_done = function(_, ...)
        finished(job, ...)
      end,
    }
    scheduler.spawn(job.task)
    options.on_change()
  end

  local function count(is_program)
    local found = 0
    for _, job in ipairs(order) do
      local same = (job.command ~= nil) == is_program
      if same and not job.response then found = found + 1 end
    end
    return found
  end

  local function refusal(method)
    local is_program = method.open ~= nil
    local limit = is_program and MAX_PROGRAMS or MAX_RUNNING
    if count(is_program) < limit then return nil end
    local what = is_program and " programs" or " requests"
    return limit .. what .. " already run on this computer: cancel one or wait"
  end

  --- Starts a program without a request. It is answered like any other.
  -- @treturn string|nil why it was not started
  function self.start_program(id, params)
    local method = methods["run-program"]
    local problem = refusal(method) or start(id, "run-program", params)
    if not problem then jobs[id].at_boot = true end
    return problem
  end

  --- At most once: a known id does not run again.
  function self.request(frame)
    local id, method = frame.id, methods[frame.method]
    if type(id) ~= "string" or id == "" then return end
    if jobs[id] then
      local job = jobs[id]
      if job.response then
        job.sending = nil
        deliver(job)
      end
    elseif over.has(id) then
      return
    elseif not method then
      answer_at_once(id, frames.failure(id, "unknown method"))
    elseif method.inline then
      local context = setmetatable({ id = id }, { __index = options.services })
      local result, problem = method.run(frame.params, context)
      if not method.heartbeat then over.add(id) end
      link.send(
        result == nil and problem and frames.failure(id, problem)
          or frames.success(id, result, method.heartbeat and clock.paused())
      )
    else
      local problem = refusal(method) or start(id, frame.method, frame.params, frame.timeoutMs)
      if problem then answer_at_once(id, frames.failure(id, problem)) end
    end
  end

  function self.unreadable(id, problem)
    if jobs[id] or over.has(id) then return end
    answer_at_once(id, frames.failure(id, "the request could not be read: " .. problem))
  end

  --- Idempotent. The answer of a finished job is sent again, if it is still kept.
  function self.cancel(frame)
    local id = frame.id
    local job = jobs[id]
    if not job then
      if type(id) ~= "string" or id == "" or over.has(id) then return end
      -- Remembered as finished: a resent request must not run.
      answer_at_once(id, frames.failure(id, "unknown request"))
    elseif job.response then
      job.sending = nil
      deliver(job)
    elseif job.task then
      -- Even while its answer is encoded, which may run foreign code such as __tostring.
      job.cancelled = true
      scheduler.cancel(job.task)
    end
  end

  --- Serves an `ack` frame: the answers to these requests arrived. Older bridges name one in each frame.
  function self.ack(frame)
    local ids = type(frame.ids) == "table" and frame.ids or { frame.id }
    local forgotten = false
    for _, id in ipairs(ids) do
      local job = jobs[id]
      if job and job.response then
        forget(job)
        forgotten = true
      end
    end
    if forgotten then options.on_change() end
  end

  function self.unknown(ids)
    local list = {}
    for _, id in ipairs(ids) do
      if not jobs[id] and not over.has(id) then list[#list + 1] = id end
    end
    return list
  end

  --- The ids that `hello.jobs` lists: running, or answered and perhaps not delivered. Only of jobs: a bridge
  -- gives up other requests with the link that they came by.
  function self.ids()
    local ids = {}
    for _, job in ipairs(order) do
      -- An older bridge may be asked to cancel those that it has not started.
      if job.stream and not job.at_boot then ids[#ids + 1] = job.id end
    end
    return ids
  end

  function self.programs()
    local list = {}
    for _, job in ipairs(order) do
      if job.command then
        local command = string.sub(job.command, 1, 80)
        list[#list + 1] = { id = job.id, command = command, atBoot = job.at_boot }
      end
    end
    return list
  end

  function self.has_programs()
    return count(true) > 0
  end

  function self.is_running(id)
    return jobs[id] ~= nil and not jobs[id].response
  end

  --- After an error in the event loop: fails requests that ended without an answer.
  function self.recover(problem)
    for _, job in ipairs({ table.unpack(order) }) do
      if not job.response and (not job.task or job.task.finished) then
        job.task = nil
        answer(job, frames.failure(job.id, "the answer was lost: " .. problem))
      end
    end
  end

  function self.running_methods()
    local names = {}
    for _, job in ipairs(order) do
      if not job.response then names[#names + 1] = job.name end
    end
    return names
  end

  function self.running()
    return #self.running_methods()
  end

  --- After `hello-ok`: resends lost output, then the answers.
  function self.catch_up(frame)
    acknowledges = type(frame.jobs) == "table"
    for _, job in ipairs({ table.unpack(order) }) do
      job.sending = nil
      if job.response and not job.stream then forget(job) end
    end
    for _, wanted in ipairs(acknowledges and frame.jobs or {}) do
      local job = type(wanted) == "table" and jobs[wanted.id]
      if job and job.stream and type(wanted.seq) == "number" then job.stream.rewind(wanted.seq) end
    end
    self.look()
  end

  local function send_output(job, room, started)
    if not job.stream or (job.response and job.stream.is_complete()) then return 0, nil end
    local sent, due = 0, job.stream.due()
    while due and (due == 0 or job.response) do
      if sent >= room or preempt.now() - started > AT_ONCE_MS then return sent, TICK end
      sent = sent + job.stream.send()
      due = job.stream.due()
    end
    return sent, due
  end

  function self.flush(id)
    local job = jobs[id]
    if not job or not job.stream then return end
    local sent = 0
    while sent < AT_ONCE and job.stream.due() do
      local length = job.stream.send()
      if length == 0 then return end
      sent = sent + length
    end
  end

  local function send_progress(job)
    local due = job.progress and job.progress.due()
    if not due or (due > 0 and not job.response) then return due end
    job.progress.send()
  end

  function self.look()
    deadlines.look()
    local room, started, pause = AT_ONCE, preempt.now(), nil
    stream_alarm.rang()
    for _, job in ipairs({ table.unpack(order) }) do
      local sent, due = send_output(job, room, started)
      room = room - sent
      for _, seconds in ipairs({ due or math.huge, send_progress(job) or math.huge }) do
        if seconds < math.huge then pause = math.min(pause or seconds, math.max(seconds, TICK)) end
      end
      if job.response then deliver(job) end
    end
    if pause and not stream_alarm.is_set() then stream_alarm.set(pause) end
    if after_alarm.rang() then after() end
  end

  function self.timer(id)
    return stream_alarm.take(id) or after_alarm.take(id) or deadlines.timer(id)
  end

  return self
end

return { new = new, MAX_RUNNING = MAX_RUNNING }
