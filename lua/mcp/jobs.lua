--- Requests from the bridge: run, streamed, answered once, kept while the link is down.

local exec = require("mcp.exec")
local frames = require("mcp.frames")
local json = require("mcp.json")
local output = require("mcp.output")
local values = require("mcp.values")

--- Requests that may run at once.
local MAX_RUNNING = 16
--- Seconds between two `output` frames of a job.
local FLUSH_PAUSE = 0.25
--- Bytes of output in one frame; escapes make at most six of one.
local PIECE = 16 * 1024
--- Seconds that an answer has to leave before what comes after it.
local AFTER_PAUSE = 0.5
--- Pieces of output whose place is remembered, to send them again when they did not arrive.
local MAX_MARKS = 4096
--- Answers that are kept until the bridge says that it has them.
local MAX_UNACKNOWLEDGED = 16
--- What a bridge without chunks gets of an output that does not fit into a message.
local SMALL_OUTPUT = 16 * 1024

--- @tparam table options `scheduler`, `methods`, `link` (see mcp.link), `on_change()`
local function new(options)
  local scheduler, methods, link = options.scheduler, options.methods, options.link
  local jobs, order = {}, {}
  local flush_timer
  --- Whether this bridge says which answers it got. Otherwise what was sent counts as delivered.
  local acknowledges = false
  local self = { last_error = nil }

  local function forget(job)
    jobs[job.id] = nil
    for index = #order, 1, -1 do
      if order[index] == job then table.remove(order, index) end
    end
  end

  --- Sends a piece of output, and remembers where it began.
  local function send_piece(job, text, length)
    job.marks[job.seq] = job.sent
    job.marks[job.seq - MAX_MARKS] = nil
    link.send(frames.output(job.id, job.seq, text))
    if not link.is_linked() then return end
    job.sent, job.seq = job.sent + length, job.seq + 1
  end

  --- Sends what a job printed since the last time. Nothing is lost while there is no link.
  local function flush(job)
    local buffer = job.captured and job.captured.buffer
    if not buffer or buffer.total == job.sent or not link.offers_jobs() then return end
    local text, lost = buffer.from(job.sent)
    job.flushed = os.clock()
    if lost > 0 then send_piece(job, "[... " .. lost .. " bytes are gone ...]\n", lost) end
    while text ~= "" and link.is_linked() do
      local piece = values.cut(text, PIECE)
      text = string.sub(text, #piece + 1)
      send_piece(job, piece, #piece)
    end
  end

  --- Adds the output to a result, all of it or its end.
  local function with_output(job, result, limit)
    local buffer = job.captured and job.captured.buffer
    if not buffer then return result end
    local text, lost = buffer.from(math.max(0, buffer.total - (limit or buffer.total)))
    result = result or { returns = json.array() }
    if lost > 0 or #text < buffer.total then result.truncated = true end
    if job.captured.describe then job.captured.describe(result) end
    return frames.put_text(result, "output", text)
  end

  local function deliver(job)
    if job.sending or not link.is_linked() then return end
    if job.seq > 0 then flush(job) end
    job.sending = true
    local function sent()
      if not acknowledges then self.ack(job) end
    end
    if link.send(job.response, sent) then return end
    local small = with_output(job, { returns = json.array() }, SMALL_OUTPUT)
    local message = "the result is too large for this bridge: return less or write it to a file"
    link.send(frames.failure(job.id, message, small), sent)
  end

  --- Lets go of the oldest answers that no bridge wanted.
  local function forget_unwanted()
    local waiting = 0
    for index = #order, 1, -1 do
      local job = order[index]
      if job.response then waiting = waiting + 1 end
      if waiting > MAX_UNACKNOWLEDGED and job.response then forget(job) end
    end
  end

  --- Answers a job now, or when there is a link again.
  local function answer(job, text)
    job.response = text
    job.task = nil
    forget_unwanted()
    deliver(job)
    options.on_change()
  end

  --- Tells what captured a job that it is over, before the job is answered.
  local function conclude(job)
    if job.captured and job.captured.close then job.captured.close() end
  end

  --- Does what must not happen before the answer is out.
  local function afterwards(action)
    scheduler.spawn({
      run = function()
        sleep(AFTER_PAUSE)
        action()
      end,
      on_done = function() end,
    })
  end

  local function done(job, ok, result, problem, partial)
    conclude(job)
    if job.cancelled then
      answer(job, frames.failure(job.id, "cancelled", with_output(job)))
    elseif not ok then
      local message = job.captured and exec.explain_error(result, job.task.co) or tostring(result)
      self.last_error = message
      answer(job, frames.failure(job.id, message, with_output(job)))
    elseif result == nil and problem ~= nil then
      self.last_error = tostring(problem)
      answer(job, frames.failure(job.id, tostring(problem), with_output(job, partial)))
    else
      answer(job, frames.success(job.id, with_output(job, result)))
      if job.after then afterwards(job.after) end
    end
  end

  --- What captures the output of a request, if anything does, or nil and why it cannot run.
  local function capture(id, method, params)
    if not method.open then return method.capture and output.capture() or {} end
    local ok, captured, problem = pcall(method.open, params, id)
    if ok and captured then return captured end
    return nil, tostring(ok and problem or captured)
  end

  local function start(id, method, params)
    local captured, problem = capture(id, method, params)
    if not captured then
      link.send(frames.failure(id, problem))
      return
    end
    local job = { id = id, sent = 0, seq = 0, marks = {}, after = method.after }
    jobs[id], order[#order + 1] = job, job
    if captured.buffer then job.captured = captured end
    for _, patch in ipairs(method.patches and method.patches() or {}) do
      table.insert(captured.patches, patch)
    end
    job.task = {
      run = function()
        return method.run(params, captured)
      end,
      patches = captured.patches,
      term = captured.term,
      accepts = captured.accepts,
      inbox = captured.inbox,
      on_done = function(_, ...)
        done(job, ...)
      end,
    }
    scheduler.spawn(job.task)
    options.on_change()
  end

  --- Serves a `request` frame.
  function self.request(frame)
    local id, method = frame.id, methods[frame.method]
    if type(id) ~= "string" or id == "" or jobs[id] then return end
    if not method then
      link.send(frames.failure(id, "unknown method"))
    elseif method.inline then
      local result, problem = method.run(frame.params)
      link.send(
        result == nil and problem and frames.failure(id, problem) or frames.success(id, result)
      )
    elseif self.running() >= MAX_RUNNING then
      local message = MAX_RUNNING .. " requests already run on this computer: cancel one or wait"
      link.send(frames.failure(id, message))
    else
      start(id, method, frame.params)
    end
  end

  --- Serves a `cancel` frame. An unknown or finished id is ignored.
  function self.cancel(frame)
    local job = jobs[frame.id]
    if not job or not job.task or job.cancelled then return end
    job.cancelled = true
    scheduler.cancel(job.task)
  end

  --- Serves an `ack` frame: the answer arrived.
  function self.ack(frame)
    local job = jobs[frame.id]
    if not job or not job.response then return end
    forget(job)
    job.response = nil
    options.on_change()
  end

  --- The ids that `hello.jobs` lists: running, or answered and perhaps not delivered.
  function self.ids()
    local ids = {}
    for index, job in ipairs(order) do
      ids[index] = job.id
      job.sending = nil
    end
    return ids
  end

  --- After an error inside the loop: a request that ended without an answer gets one.
  function self.recover(problem)
    for _, job in ipairs({ table.unpack(order) }) do
      if job.task and job.task.finished then
        conclude(job)
        answer(job, frames.failure(job.id, "the answer got lost: " .. problem, with_output(job)))
      end
    end
  end

  function self.running()
    local count = 0
    for _, job in ipairs(order) do
      if job.task then count = count + 1 end
    end
    return count
  end

  --- Goes back to the first piece of output that the bridge has not got.
  local function rewind(job, seq)
    if seq >= job.seq then return end
    job.sent = job.marks[seq] or 0
    job.seq = seq
  end

  --- After `hello-ok`: what did not arrive goes out, then the answers.
  function self.catch_up(frame)
    acknowledges = type(frame.jobs) == "table"
    for _, wanted in ipairs(acknowledges and frame.jobs or {}) do
      local job = type(wanted) == "table" and jobs[wanted.id]
      if job and type(wanted.seq) == "number" then rewind(job, wanted.seq) end
    end
    for _, job in ipairs({ table.unpack(order) }) do
      flush(job)
      if job.response then deliver(job) end
    end
  end

  --- Streams new output, at once or when the pause is over. Called after each event.
  function self.pump()
    for _, job in ipairs(order) do
      local buffer = job.task and job.captured and job.captured.buffer
      if buffer and buffer.total > job.sent and link.offers_jobs() then
        if not job.flushed or os.clock() - job.flushed >= FLUSH_PAUSE then
          flush(job)
        elseif not flush_timer then
          flush_timer = os.startTimer(FLUSH_PAUSE)
        end
      end
    end
  end

  --- Whether a timer was ours.
  function self.timer(id)
    if id ~= flush_timer then return false end
    flush_timer = nil
    return true
  end

  return self
end

return { new = new, MAX_RUNNING = MAX_RUNNING }
