--- Dead reckoning from a given position, persisted on the disk: the game does not tell a turtle
-- where it is. Each move is recorded before (write-ahead) and after. A crash in between is
-- resolved by the fuel level, which the game saves with the turtle; a turn takes no fuel, so then
-- the position is uncertain. Two files are written alternately, so that an interrupted write
-- leaves the previous one.

local json = require("mcp.json")

local FILES = { "/.mcp-computer.at-1", "/.mcp-computer.at-2" }
local FACINGS = { "north", "east", "south", "west" }
local STEPS = { north = { 0, -1 }, east = { 1, 0 }, south = { 0, 1 }, west = { -1, 0 } }
local MOVES = { forward = true, back = true, up = true, down = true }
local TURNS = { turnLeft = -1, turnRight = 1 }

local function forget_files()
  for _, path in ipairs(FILES) do
    pcall(fs.delete, path)
  end
end

local function is_whole(number)
  return type(number) == "number" and number == math.floor(number) and math.abs(number) < 2 ^ 53
end

local function read(path)
  local file = fs.open(path, "r")
  if not file then return nil end
  local text = file.readAll()
  file.close()
  local record = type(text) == "string" and json.decode(text)
  if type(record) ~= "table" or not is_whole(record.seq) then return nil end
  if not (is_whole(record.x) and is_whole(record.y) and is_whole(record.z)) then return nil end
  if record.facing ~= nil and not STEPS[record.facing] then return nil end
  return record
end

local function turned(facing, step)
  for index, name in ipairs(FACINGS) do
    if name == facing then return FACINGS[(index - 1 + step) % 4 + 1] end
  end
end

local function new()
  --- Captured originals: the `turtle` table may already be patched.
  local natives = {}
  for _, op in ipairs({ "forward", "back", "up", "down", "turnLeft", "turnRight", "refuel" }) do
    natives[op] = turtle and turtle[op]
  end

  local state
  local loaded = false
  local flight
  local lost, unsaved

  local function save()
    state.seq = state.seq + 1
    local path = FILES[state.seq % 2 + 1]
    local ok = pcall(function()
      local file = assert(fs.open(path, "w"))
      local written, problem = pcall(file.write, json.encode(state))
      file.close()
      if not written then error(problem, 0) end
    end)
    unsaved = not ok
    -- An outdated position would be wrong after the next start: better to have none.
    if not ok then forget_files() end
  end

  local function doubt(note)
    if state.certain then
      state.certain, state.note = false, note
    end
  end

  local function apply(op)
    if TURNS[op] then
      state.facing = turned(state.facing, TURNS[op])
    elseif op == "up" or op == "down" then
      state.y = state.y + (op == "up" and 1 or -1)
    elseif state.facing then
      local step, sign = STEPS[state.facing], op == "back" and -1 or 1
      state.x, state.z = state.x + sign * step[1], state.z + sign * step[2]
    else
      state, lost = nil, "it moved " .. op .. " while its facing was unknown"
      forget_files()
    end
  end

  local function settle_move(op)
    local fuel = turtle.getFuelLevel()
    if type(fuel) == "number" and fuel == state.fuel then return end
    if type(fuel) == "number" and type(state.fuel) == "number" and fuel == state.fuel - 1 then
      state.fuel = fuel
      apply(op)
    else
      doubt(
        "it was interrupted while moving " .. op .. ", and its fuel does not show whether it moved"
      )
    end
  end

  local function load_state()
    if loaded then return end
    loaded = true
    local first, second = read(FILES[1]), read(FILES[2])
    state = first
    if second and (not first or second.seq > first.seq) then state = second end
    local op = state and state.moving
    if not op then return end
    state.moving = nil
    if MOVES[op] then
      settle_move(op)
    else
      local other = turned(state.facing, TURNS[op] or 1)
      doubt(
        "the computer stopped while it was turning: it faces "
          .. tostring(state.facing)
          .. " or "
          .. tostring(other)
      )
    end
    if state then save() end
  end

  --- A fuel level that changed without us: the turtle was moved or refuelled.
  local function compare_fuel()
    local fuel = turtle.getFuelLevel()
    if fuel == state.fuel then return end
    doubt(
      "its fuel went from "
        .. tostring(state.fuel)
        .. " to "
        .. tostring(fuel)
        .. " without these tools, so it may have been moved"
    )
    state.fuel = fuel
    save()
  end

  --- Waits for a command whose result was not received: commands cannot be cancelled, so a turn is
  -- done by then, and a move shows in the fuel.
  local function settle_flight()
    local open = flight
    if not open then return end
    -- Queued behind it.
    turtle.detect()
    if flight ~= open or not state then return end
    flight, state.moving = nil, nil
    if MOVES[open.op] then
      settle_move(open.op)
    else
      apply(open.op)
    end
    if state then save() end
  end

  local function check()
    load_state()
    if not state then return end
    settle_flight()
    -- During a move, its caller updates the position.
    if state and not flight then compare_fuel() end
  end

  local function act(op)
    load_state()
    if not state then return natives[op]() end
    settle_flight()
    if not state then return natives[op]() end
    compare_fuel()
    local own = { op = op }
    flight, state.moving = own, op
    save()
    local result = table.pack(pcall(natives[op]))
    -- Terminated while waiting: the turtle still does it, and settle_flight resolves that.
    if not result[1] then error(result[2], 0) end
    if flight == own and state then
      flight, state.moving = nil, nil
      if result[2] then
        state.fuel = turtle.getFuelLevel()
        apply(op)
      end
      if state then save() end
    end
    return table.unpack(result, 2, result.n)
  end

  local function refuel(...)
    check()
    local result = table.pack(natives.refuel(...))
    if state and not flight then
      state.fuel = turtle.getFuelLevel()
      save()
    end
    return table.unpack(result, 1, result.n)
  end

  local function set(x, y, z, facing)
    check()
    local known = state and state.certain and state.facing
    state = {
      x = x,
      y = y,
      z = z,
      facing = facing or known or nil,
      fuel = turtle.getFuelLevel(),
      certain = true,
      seq = state and state.seq or 0,
    }
    lost = nil
    save()
  end

  local function report()
    load_state()
    if not state then return { certain = false, note = lost } end
    return {
      position = { x = state.x, y = state.y, z = state.z },
      facing = state.facing,
      certain = state.certain,
      note = state.note
        or unsaved and "it could not be saved to the disk: it will be forgotten at the next start"
        or nil,
    }
  end

  --- Wrappers of the turtle's functions, so that other code updates the position as well.
  local function patches()
    if not turtle then return {} end
    local list = { { turtle, "refuel", refuel } }
    for op in pairs(natives) do
      if op ~= "refuel" then
        list[#list + 1] = {
          turtle,
          op,
          function()
            return act(op)
          end,
        }
      end
    end
    return list
  end

  return {
    act = act,
    check = check,
    patches = patches,
    refuel = refuel,
    report = report,
    set = set,
  }
end

return { FILES = FILES, MOVES = MOVES, TURNS = TURNS, STEPS = STEPS, new = new }
