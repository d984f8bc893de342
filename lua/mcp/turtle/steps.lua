local items = require("mcp.turtle.items")
local json = require("mcp.json")
local positions = require("mcp.turtle.position")
local walk = require("mcp.turtle.walk")

local MAX_STEPS = 1000
local MAX_TIMES = 1000
local TELL_EVERY = 16

--- For these, false is an answer, not a failure.
local QUESTIONS = {}
for _, name in ipairs({ "detect", "compare", "inspect" }) do
  for _, direction in ipairs({ "", "Up", "Down" }) do
    QUESTIONS[name .. direction] = true
  end
end
QUESTIONS.compareTo = true

local LOOK = { forward = "inspect", up = "inspectUp", down = "inspectDown" }

local function call(position, op, args)
  local run = turtle[op]
  if positions.MOVES[op] or positions.TURNS[op] then
    run = function()
      return position.act(op)
    end
  end
  if not run then return false, "this turtle has no " .. op end
  local ok, result, detail = pcall(run, table.unpack(args, 1, 2))
  if not ok then
    if result == "Terminated" then error(result, 0) end
    return false, tostring(result)
  end
  if QUESTIONS[op] then return true, detail or result end
  return result and true or false, detail
end

local OWN = {
  sleep = function(_, args)
    sleep(args[1])
    return true
  end,
  face = function(position, args)
    return walk.face(position, args[1])
  end,
  ["goto"] = function(position, args, tell)
    local to = { x = args[1], y = args[2], z = args[3] }
    local facing = walk.FACINGS[args[4]] and args[4] or nil
    local dig = args[4] == "dig" or args[5] == "dig"
    local ok, text = walk.go(position, to, { facing = facing, dig = dig, tell = tell })
    return ok, ok and "done, " .. text or text
  end,
  select = function(position, args)
    if type(args[1]) == "string" then return items.select_item(args[1]) end
    return call(position, "select", args)
  end,
  refuel = function(position, args)
    local ok, text = items.use_items(position.refuel, args)
    return ok, ok and "done, fuel " .. tostring(turtle.getFuelLevel()) or text
  end,
}
for _, op in ipairs({ "drop", "dropUp", "dropDown" }) do
  OWN[op] = function(_, args)
    local ok, text = items.use_items(turtle[op], args)
    return ok, ok and "dropped " .. text or text
  end
end

local function perform(position, op, args, tell)
  if OWN[op] then return OWN[op](position, args, tell) end
  return call(position, op, args)
end

local function finding(value)
  if type(value) ~= "table" then return tostring(value) end
  local state = type(value.state) == "table" and next(value.state) and json.encode(value.state)
  return tostring(value.name) .. (state and " " .. state or "")
end

local function obstacle(op, reason)
  if reason ~= "Movement obstructed" or not LOOK[op] then return "" end
  local ok, found, block = pcall(turtle[LOOK[op]])
  if ok and found and type(block) == "table" then return " by " .. tostring(block.name) end
  return ""
end

local function state_of(position, done)
  local state = position.report()
  state.fuel = turtle.getFuelLevel()
  state.selected = turtle.getSelectedSlot()
  state.slots = items.slot_list()
  state.stepsDone = done
  return state
end

local function print_state(state)
  local at = state.position
  local where = at and string.format("at %d %d %d", at.x, at.y, at.z) or "at an unknown position"
  if at and state.facing then where = where .. ", facing " .. state.facing end
  if at and not state.certain then
    where = where .. " (NOT CERTAIN: " .. tostring(state.note) .. ")"
  end
  print(
    "Now "
      .. where
      .. "; fuel "
      .. tostring(state.fuel)
      .. "; slot "
      .. state.selected
      .. " selected"
  )
  print(state.slots[1] and "Slots: " .. items.text_of(state.slots) or "All 16 slots are empty")
end

local function is_whole(value)
  return type(value) == "number" and value == math.floor(value)
end

local function check_args(op, args)
  if op == "goto" and not (is_whole(args[1]) and is_whole(args[2]) and is_whole(args[3])) then
    return "goto needs x, y and z as whole numbers"
  end
  if op == "face" and not walk.FACINGS[args[1]] then
    return "face needs north, east, south or west"
  end
end

local function check_steps(steps)
  if type(steps) ~= "table" or #steps == 0 then
    return "turtle-run needs params.steps, a list of steps"
  end
  if #steps > MAX_STEPS then return "at most " .. MAX_STEPS .. " steps at a time" end
  for index, step in ipairs(steps) do
    local times = type(step) == "table" and (step.times or 1)
    if not times or type(step.op) ~= "string" then return "step " .. index .. " has no op" end
    if type(times) ~= "number" or times < 1 or times > MAX_TIMES then
      return "step " .. index .. " must be done 1 to " .. MAX_TIMES .. " times"
    end
    local problem = check_args(step.op, type(step.args) == "table" and step.args or {})
    if problem then return "step " .. index .. ": " .. problem end
  end
end

local function run_step(position, step, label)
  local times, args = step.times or 1, type(step.args) == "table" and step.args or {}
  local result
  for done = 1, times do
    local ok
    ok, result = perform(position, step.op, args, function(text)
      print(label .. ": " .. text)
    end)
    if not ok then
      return false, (result or "no reason given") .. obstacle(step.op, result), done - 1
    end
    if done % TELL_EVERY == 0 and done < times then
      print(label .. ": " .. done .. " of " .. times)
    end
  end
  return true, result, times
end

--- Prints a line for each step.
-- @tparam table position see mcp.turtle.position
-- @treturn[1] table the turtle's final state
-- @treturn[2] nil
-- @treturn[2] string which step failed, why, and where the turtle is
-- @treturn[2] table the turtle's state
local function run(position, steps, rounds)
  local total = 0
  for round = 1, rounds do
    for index, step in ipairs(steps) do
      local times = step.times or 1
      local text = step.op .. (times > 1 and " " .. times or "")
      if type(step.text) == "string" then text = step.text end
      local label = (rounds > 1 and "round " .. round .. ", " or "") .. "step " .. index
      label = label .. " (" .. text .. ")"
      local ok, result, done = run_step(position, step, label)
      if ok then
        total = total + 1
        local found = QUESTIONS[step.op] and finding(result) or type(result) == "string" and result
        print(label .. ": " .. (found or "done"))
      elseif step.optional then
        total = total + 1
        print(label .. ": not done: " .. result)
      else
        local state = state_of(position, total)
        state.failedStep, state.round, state.timesDone, state.reason = index, round, done, result
        local part = times > 1 and " after " .. done .. " of " .. times or ""
        print(label .. ": FAILED")
        print_state(state)
        return nil, label .. " failed" .. part .. ": " .. result .. ".", state
      end
    end
  end
  local state = state_of(position, total)
  print_state(state)
  return state
end

return { check = check_steps, run = run, MAX_TIMES = MAX_TIMES }
