--- Runs tasks as coroutines beside the socket reader, and delivers events to them.

local clocks = require("mcp.clock")
local overlay = require("mcp.overlay")
local preempt = require("mcp.preempt")
local raw = require("mcp.raw")
local running = require("mcp.running")

local raw_create, raw_resume, raw_queue = raw.create, raw.resume, raw.queue
local status = coroutine.status
local PREEMPTED = preempt.PREEMPTED

--- Internal events: `slice` resumes pre-empted tasks, `breath` starts a new event's time limit,
-- `terminate` is for one task.
local EVENT = running.EVENT
--- The size of the game's queue, which drops events when full; so do we.
local QUEUE = 256
local QUEUED_BY_TASKS = 96
--- Milliseconds of an event's seven seconds after which the rest waits for the next event.
local ENOUGH = 1500
--- Milliseconds after which an internal event counts as lost and is queued again.
local LOST = 500
local ALL_SLICES, SHORTEST_SLICE = 200, 20

local HANDS = { key = true, key_up = true, char = true, paste = true }
for _, what in ipairs({ "click", "up", "drag", "scroll" }) do
  HANDS["mouse_" .. what] = true
end

local function new()
  local clock = { started = preempt.now(), slice = preempt.SLICE }
  local tasks = {}
  local backlog, first, last = {}, 1, 0
  local current
  --- The last internal event requested, when, and how many other events came since.
  local slice = { number = 0 }
  --- Upper bound of events queued by tasks and not yet received.
  local queued = 0
  local spawned = 0
  local scheduler = {}

  local function remove(task)
    for index = #tasks, 1, -1 do
      if tasks[index] == task then table.remove(tasks, index) end
    end
  end

  local function finish(task, ...)
    if task.finished then return end
    task.finished = true
    remove(task)
    task.on_done(task, ...)
  end

  local function pull()
    local event = table.pack(coroutine.yield())
    clock.started = clocks.event_came()
    if slice.asked then slice.others = slice.others + 1 end
    queued = math.max(0, queued - 1)
    return event
  end

  --- Yields to the game when this event has taken long, to get a new time limit.
  local function breathe()
    if preempt.now() - clock.started < ENOUGH then return end
    -- Dropped if the queue is full, but then there is another event to pull.
    raw_queue(EVENT, "breath")
    local event = pull()
    last = last + 1
    backlog[last] = event
  end

  --- A filter never blocks terminate.
  local function waits_for(task, event)
    return task.filter == nil or task.filter == event[1] or event[1] == "terminate"
  end

  local function step(task, ...)
    breathe()
    task.slice_started = preempt.now()
    current = task
    overlay.enter(task.layer)
    local result = table.pack(raw_resume(task.co, ...))
    overlay.leave(task.layer)
    current = nil
    if status(task.co) == "dead" then
      breathe()
      finish(task, table.unpack(result, 1, result.n))
    elseif result[2] == PREEMPTED then
      task.preempted = true
    else
      task.preempted, task.filter = false, result[2]
    end
  end

  local function catch_up(task)
    while not task.finished and not task.preempted and #task.held > 0 do
      local event = table.remove(task.held, 1)
      if waits_for(task, event) then step(task, table.unpack(event, 1, event.n)) end
    end
  end

  --- `os.queueEvent` for a task: waits for room, and its terminate reaches only itself. The
  -- player's comes from the game.
  local function queue_event(task)
    return function(name, ...)
      if task.finished then return raw_queue(name, ...) end
      if name == "terminate" then
        raw_queue(EVENT, "terminate", task.number)
      else
        raw_queue(name, ...)
      end
      queued = queued + 1
      if queued > QUEUED_BY_TASKS then preempt.rest(task) end
    end
  end

  --- Runs until the task first waits.
  -- @tparam table task `run` (the function), `patches`, `term`, `on_done(task, ok, ...)`;
  -- optionally `accepts(event)`, a filter on the computer's events, `inbox`, events only for it,
  -- and `is_held()`, whether it must not resume yet after it was pre-empted
  function scheduler.spawn(task)
    task.clock, task.held, task.slice_started = clock, {}, preempt.now()
    spawned = spawned + 1
    task.number = spawned
    task.co = raw_create(task.run)
    task.chain = { task.co }
    local library = preempt.library(task)
    local patches = {
      { coroutine, "create", library.create },
      { coroutine, "resume", library.resume },
      { coroutine, "wrap", library.wrap },
      { _G, "pcall", library.pcall },
      { _G, "xpcall", library.xpcall },
      { os, "queueEvent", queue_event(task) },
    }
    for _, patch in ipairs(task.patches or {}) do
      patches[#patches + 1] = patch
    end
    task.layer = { patches = patches, term = task.term }
    preempt.guard(task, task.co)
    tasks[#tasks + 1] = task
    step(task)
    return task
  end

  --- By a terminate event, or an error at its next instruction if it was computing. A task that
  -- survives that is abandoned.
  function scheduler.cancel(task)
    if task.finished then return end
    task.cancelled = true
    if task.preempted then
      step(task)
    else
      step(task, "terminate")
    end
    finish(task, false, "Terminated")
  end

  local function ready()
    local list = {}
    for _, task in ipairs(tasks) do
      if task.preempted and not (task.is_held and task.is_held()) then list[#list + 1] = task end
    end
    return list
  end

  --- A full queue drops the event: it is queued again once everything before it has been seen, or
  -- after a while, since other tabs may consume some of it.
  local function ask_for_slice()
    local waiting = slice.asked and slice.others < QUEUE and preempt.now() - slice.asked < LOST
    if waiting or #ready() == 0 then return end
    slice.number, slice.asked, slice.others = slice.number + 1, preempt.now(), 0
    raw_queue(EVENT, "slice", slice.number)
  end

  --- While tasks are pre-empted, an internal event keeps the loop running.
  function scheduler.next_event()
    if first <= last then
      local event = backlog[first]
      backlog[first] = nil
      first = first + 1
      return event
    end
    backlog, first, last = {}, 1, 0
    ask_for_slice()
    return pull()
  end

  function scheduler.slice(number)
    if number ~= slice.number then return end
    slice.asked, queued = nil, 0
    local list = ready()
    clock.slice = math.max(SHORTEST_SLICE, math.min(preempt.SLICE, ALL_SLICES / math.max(1, #list)))
    for _, task in ipairs(list) do
      if task.preempted and not task.finished then
        step(task)
        catch_up(task)
      end
    end
  end

  function scheduler.terminate(number)
    for _, task in ipairs(tasks) do
      if task.number == number then
        if task.preempted then
          if #task.held < QUEUE then task.held[#task.held + 1] = { n = 1, "terminate" } end
        else
          step(task, "terminate")
        end
        return
      end
    end
  end

  local function reaches(task, event)
    if task.finished then return false end
    return not task.accepts or task.accepts(event)
  end

  function scheduler.deliver(event)
    for _, task in ipairs({ table.unpack(tasks) }) do
      if reaches(task, event) then
        if task.preempted then
          if #task.held < QUEUE then task.held[#task.held + 1] = event end
        elseif waits_for(task, event) then
          step(task, table.unpack(event, 1, event.n))
        end
      end
    end
  end

  --- As in the game: a task that waits for a key loses the characters before it; one that sleeps or
  -- moves gets its input afterwards.
  local function next_post(task)
    local inbox, filter = task.inbox, task.filter
    local index = 1
    while inbox[index] do
      local name = inbox[index][1]
      if filter == nil or filter == name or name == "terminate" then return index end
      if HANDS[filter] and HANDS[name] then
        table.remove(inbox, index)
      else
        index = index + 1
      end
    end
  end

  function scheduler.deliver_posts()
    for _, task in ipairs({ table.unpack(tasks) }) do
      while task.inbox and task.inbox[1] and not task.finished and not task.preempted do
        local index = next_post(task)
        if not index then break end
        local event = table.remove(task.inbox, index)
        step(task, table.unpack(event, 1, event.n))
      end
    end
  end

  function scheduler.is_task()
    return current ~= nil
  end

  --- Puts things right after an error inside the loop, such as the game's time limit.
  function scheduler.recover()
    if current then
      overlay.leave(current.layer)
      current = nil
    end
    for _, task in ipairs({ table.unpack(tasks) }) do
      if status(task.co) == "dead" then
        finish(task, false, "the game's time limit was reached while this was ending")
      end
    end
  end

  return scheduler
end

return { new = new }
