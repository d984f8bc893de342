local monitors = require("mcp.mirror.monitors")
local keyboard = require("mcp.mirror.keyboard")
local pause = require("mcp.pause")
local programs = require("mcp.mirror.programs")
local terminal = require("mcp.mirror.terminal")

local SETTLE, MAX_SETTLE = 0.1, 10

local function is_object(params)
  return type(params) == "table"
end

local function click(events, step, program)
  local width, height = program.term.getSize()
  local x, y, button = step.x, step.y, step.button or 1
  for _, value in ipairs({ x or false, y or false, button }) do
    if type(value) ~= "number" or value % 1 ~= 0 then
      return nil, "a click needs x and y as whole numbers"
    end
  end
  if x < 1 or y < 1 or x > width or y > height then
    return nil, string.format("%d,%d is outside the screen, which is %dx%d", x, y, width, height)
  end
  events[#events + 1] = table.pack("mouse_click", button, x, y)
  events[#events + 1] = table.pack("mouse_up", button, x, y)
  return true
end

local function event(events, step)
  if type(step.name) ~= "string" or step.name == "" then return nil, "an event needs a name" end
  local args = type(step.args) == "table" and step.args or {}
  -- Trailing nulls are lost in transit, so the count is sent as well.
  local count = type(step.count) == "number" and step.count or #args
  events[#events + 1] = table.pack(step.name, table.unpack(args, 1, count))
  return true
end

local KINDS = {
  text = function(events, step)
    if type(step.text) ~= "string" then return nil, "text must be a string" end
    return keyboard.type_text(events, step.text)
  end,
  key = function(events, step)
    return keyboard.press(events, step.key)
  end,
  click = click,
  event = event,
}

local function events_of(params, program)
  if type(params.steps) ~= "table" then return nil, "send-input needs params.steps" end
  local events = {}
  for index, step in ipairs(params.steps) do
    local kind = type(step) == "table" and KINDS[step.type]
    if not kind then return nil, "step " .. index .. " has an unknown type" end
    local ok, problem = kind(events, step, program)
    if not ok then return nil, problem end
  end
  if #program.inbox + #events > programs.MAX_INBOX then
    return nil,
      #program.inbox
        .. " events are already waiting: the program does not read them, so nothing was sent"
  end
  return events
end

local UNREADABLE = "no program of run-program is running here, and ComputerCraft has no way to read a "
  .. "computer's own screen or a monitor. Start the program with run-program (with `show` or `monitor` it is "
  .. "visible there too), or ask the player to share the prompt: mcp-computer share"

local function waiting(program)
  local count = 0
  for _, posted in ipairs(program.inbox) do
    if posted[1] ~= "key_up" and posted[1] ~= "mouse_up" then count = count + 1 end
  end
  return count
end

local function program_of(params, context)
  if monitors.is_id(params.job) then return context.monitors.find(params.job) end
  if params.job == nil then return context.prompt.shared() or context.programs.newest() end
  local program = type(params.job) == "string" and context.programs.find(params.job)
  if program then return program end
  return nil, "no program is running here as job " .. string.sub(tostring(params.job), 1, 64)
end

local NOT_SHARED = "no prompt is shared on this computer, so there is nothing to type into. "
  .. "Its player shares one with: mcp-computer share. Or start a program with run-program and name its job"

local function send_input(params, context)
  if not is_object(params) then return nil, "send-input needs params, an object" end
  if params.job == nil and not context.prompt.shared() then return nil, NOT_SHARED end
  if monitors.is_id(params.job) then return nil, "a monitor takes no input from here" end
  local program, missing = program_of(params, context)
  if not program then return nil, missing end
  local events, problem = events_of(params, program)
  if not events then return nil, problem end
  local cleared = not program.id and #events > 0 and context.prompt.clear_line() or nil
  for _, each in ipairs(events) do
    program.post(each)
  end
  if not program.id then context.prompt.driven(params.by) end
  local settle = type(params.settle) == "number" and params.settle or SETTLE
  pause(math.max(0.05, math.min(settle, MAX_SETTLE)))
  return {
    sent = #events,
    waiting = waiting(program),
    ended = program.ended or false,
    cleared = cleared,
    screen = program.snapshot(params.colours == true),
  }
end

local function watch_screen(params, context)
  params = is_object(params) and params or {}
  if params.on ~= true then
    return context.watches.stop(type(params.job) == "string" and params.job or nil)
  end
  local program, problem = program_of(params, context)
  if not program then return nil, problem or UNREADABLE end
  return context.watches.watch(program, params.job ~= nil, params.whole == true)
end

local function read_screen(params, context)
  params = is_object(params) and params or {}
  local colours = params.colours == true
  local program, problem = program_of(params, context)
  if problem then return nil, problem end
  if program then
    -- Flush what scrolled away first, so that output and screen are consistent.
    if program.id then context.jobs.flush(program.id) end
    return {
      job = program.id,
      waiting = program.inbox and waiting(program),
      screen = program.snapshot(colours),
      since = program.since,
      complete = program.complete,
    }
  end
  -- Windows can be read back, the real screen cannot.
  local own = term.current()
  if type(own.getLine) ~= "function" then return nil, UNREADABLE end
  return { screen = terminal.snapshot(own, colours) }
end

return {
  ["run-program"] = {
    open = function(params, context)
      if not is_object(params) or type(params.command) ~= "string" then
        return nil, "run-program needs params.command, what a player would type at the prompt"
      end
      if not shell then
        return nil, "this agent was not started from the shell, so it cannot run programs"
      end
      return context.programs.open(params, context.id)
    end,
    run = function(params, context)
      if shell.run(params.command) then return {} end
      return nil,
        context.terminal.last_error or "the program ended with an error and gave no reason"
    end,
  },
  ["read-screen"] = { inline = true, run = read_screen },
  ["send-input"] = { run = send_input },
  ["watch-screen"] = { inline = true, run = watch_screen },
}
