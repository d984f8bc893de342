--- Runs tasks beside the socket reader: each in a coroutine, every event to every one that waits for it.

local overlay = require("mcp.overlay")
local preempt = require("mcp.preempt")

local raw_create, raw_resume, status = coroutine.create, coroutine.resume, coroutine.status
local PREEMPTED = preempt.PREEMPTED

--- Own events: `mcp-computer, slice` lets pre-empted tasks go on, `mcp-computer, breath` buys time.
local EVENT = "mcp-computer"
--- The game's queue is as long: what it would drop, we drop too.
local MAX_HELD = 256
--- After this much of an event's seven seconds, the rest waits for the next event.
local ENOUGH = 1500

--- What a player's hands cause. A program that waits for one of these is ready for the next.
local HANDS = { key = true, key_up = true, char = true, paste = true }
for _, what in ipairs({ "click", "up", "drag", "scroll" }) do
  HANDS["mouse_" .. what] = true
end

local function new()
  local clock = { started = preempt.now() }
  local tasks = {}
  local backlog, first, last = {}, 1, 0
  local current
  local slice_asked
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
    clock.started = preempt.now()
    if slice_asked then slice_asked = slice_asked + 1 end
    return event
  end

  --- Yields for real when this event has taken long, so that the next step has its full time.
  local function breathe()
    if preempt.now() - clock.started < ENOUGH then return end
    -- If the queue is full this is dropped, and there is something else to pull.
    os.queueEvent(EVENT, "breath")
    local event = pull()
    last = last + 1
    backlog[last] = event
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

  --- Hands a task the events that came while it was pre-empted.
  local function catch_up(task)
    while not task.finished and not task.preempted and #task.held > 0 do
      local event = table.remove(task.held, 1)
      if task.filter == nil or task.filter == event[1] then
        step(task, table.unpack(event, 1, event.n))
      end
    end
  end

  --- Starts a task and runs it until it first waits.
  -- @tparam table task `run` (the function), `patches`, `term`, `on_done(task, ok, ...)`; perhaps
  -- `accepts(event)`, which of the computer's events it gets, and `inbox`, events only for it
  function scheduler.spawn(task)
    task.clock, task.held, task.slice_started = clock, {}, preempt.now()
    task.co = raw_create(task.run)
    task.chain = { task.co }
    local library = preempt.library(task)
    local patches = {
      { coroutine, "create", library.create },
      { coroutine, "resume", library.resume },
      { coroutine, "wrap", library.wrap },
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

  --- Stops a task: a terminate event, an error at its next instruction if it was computing. What
  -- survives that is dropped where it stands.
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

  --- The next event. While tasks are pre-empted, an own event keeps things going.
  function scheduler.next_event()
    if first <= last then
      local event = backlog[first]
      backlog[first] = nil
      first = first + 1
      return event
    end
    backlog, first, last = {}, 1, 0
    for _, task in ipairs(tasks) do
      -- A full queue drops our event: ask again once all that was in it has been seen.
      if task.preempted and (not slice_asked or slice_asked > MAX_HELD) then
        slice_asked = 0
        os.queueEvent(EVENT, "slice")
      end
    end
    return pull()
  end

  --- Lets every pre-empted task go on for a while.
  function scheduler.slice()
    slice_asked = nil
    for _, task in ipairs({ table.unpack(tasks) }) do
      if task.preempted and not task.finished then
        step(task)
        catch_up(task)
      end
    end
  end

  --- Whether one of the computer's events may reach a task at all.
  local function reaches(task, event)
    if task.finished then return false end
    return not task.accepts or task.accepts(event)
  end

  --- Hands an event to every task that waits for it.
  function scheduler.deliver(event)
    for _, task in ipairs({ table.unpack(tasks) }) do
      if reaches(task, event) then
        if task.preempted then
          if #task.held < MAX_HELD then task.held[#task.held + 1] = event end
        elseif task.filter == nil or task.filter == event[1] then
          step(task, table.unpack(event, 1, event.n))
        end
      end
    end
  end

  --- Where in its inbox a task has an event that it waits for. A task that waits for a key does not
  -- get the characters before it, as in the game; one that sleeps or moves gets its input afterwards.
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

  --- Hands tasks the events in their inboxes, one each time they wait for one.
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

  --- Puts things right after an error inside the loop, such as the game's time limit.
  function scheduler.recover()
    if current then
      overlay.leave(current.layer)
      current = nil
    end
    for _, task in ipairs({ table.unpack(tasks) }) do
      if status(task.co) == "dead" then
        finish(task, false, "the game's time limit struck while this ended")
      end
    end
  end

  function scheduler.count()
    return #tasks
  end

  return scheduler
end

return { new = new, EVENT = EVENT }
