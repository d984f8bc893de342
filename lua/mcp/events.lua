--- Events watched by the bridge: filtered, bounded, and rate limited by a token bucket. Excess
-- events are counted, and the newest is held back and sent with the count when tokens are
-- available. So every watched event is either sent or counted.

local alarm = require("mcp.alarm")
local clock = require("mcp.clock")
local frames = require("mcp.frames")
local json = require("mcp.json")
local protocol = require("mcp.protocol")
local signals = require("mcp.signals")
local values = require("mcp.values")

local MAX_WATCHES = protocol.MAX_WATCHES
local MAX_NAME = 128
local MAX_CONDITIONS = 8
local MAX_CONDITION = 256
local LIMITS = { values = 32, entries = 500, bytes = 8 * 1024 }
local BURST = 50
local PER_SECOND = 20
local REDSTONE = "redstone"

--- Only forwarded when watched by their full name: frequent, or a player's typing.
local BY_NAME_ONLY = {
  char = true,
  file_transfer = true,
  key = true,
  key_up = true,
  paste = true,
  task_complete = true,
  timer = true,
  turtle_response = true,
}
local FAMILIES_BY_NAME_ONLY = { "^http_", "^mouse_", "^websocket_" }

local function is_by_name_only(name)
  if BY_NAME_ONLY[name] then return true end
  for _, family in ipairs(FAMILIES_BY_NAME_ONLY) do
    if string.find(name, family) then return true end
  end
  return false
end

local function split_glob(glob)
  local pieces = {}
  for piece in string.gmatch(glob .. "*", "([^*]*)%*") do
    pieces[#pieces + 1] = piece
  end
  return pieces
end

local function matches_glob(pieces, text)
  if #pieces == 1 then return text == pieces[1] end
  local head, tail = pieces[1], pieces[#pieces]
  local from, stop = #head + 1, #text - #tail
  if stop < #head then return false end
  if string.sub(text, 1, #head) ~= head or string.sub(text, stop + 1) ~= tail then return false end
  for index = 2, #pieces - 1 do
    local first, last = string.find(text, pieces[index], from, true)
    if not first or last > stop then return false end
    from = last + 1
  end
  return true
end

local function holds(condition, value)
  local wanted = condition.value
  if condition.pieces then
    local kind = type(value)
    if kind ~= "string" and kind ~= "number" and kind ~= "boolean" then return false end
    return matches_glob(condition.pieces, tostring(value))
  end
  return value == wanted
end

local function read_filter(filter)
  local conditions = {}
  for key, value in pairs(filter) do
    local position, kind = tonumber(key), type(value)
    if not position or position < 1 or position > LIMITS.values or position % 1 ~= 0 then
      return nil, "a filter gives arguments by position, 1 to " .. LIMITS.values
    end
    if kind ~= "string" and kind ~= "number" and kind ~= "boolean" then
      return nil, "a filter compares with a string, a number or a boolean"
    end
    if kind == "string" and #value > MAX_CONDITION then
      return nil, "a string in a filter can have at most " .. MAX_CONDITION .. " bytes"
    end
    conditions[#conditions + 1] = {
      position = position,
      value = value,
      pieces = kind == "string" and split_glob(value) or nil,
    }
    if #conditions > MAX_CONDITIONS then
      return nil, "a filter can have at most " .. MAX_CONDITIONS .. " conditions"
    end
  end
  return conditions
end

local function read_watch(watch)
  local name = type(watch) == "table" and watch.name
  if type(name) ~= "string" or name == "" or #name > MAX_NAME then
    return nil, "every watch needs a name of 1 to " .. MAX_NAME .. " bytes"
  end
  if watch.filter ~= nil and type(watch.filter) ~= "table" then
    return nil, "a filter must be an object"
  end
  local conditions, problem = read_filter(watch.filter or {})
  if not conditions then return nil, problem end
  return { pieces = split_glob(name), conditions = conditions }
end

local function is_wanted(watches, event)
  local name = event[1]
  for _, watch in ipairs(watches) do
    local fits = matches_glob(watch.pieces, name)
      and (#watch.pieces == 1 or not is_by_name_only(name))
    for _, condition in ipairs(watch.conditions) do
      fits = fits and holds(condition, event[condition.position + 1])
    end
    if fits then return true end
  end
  return false
end

local function new(link)
  local watches, source = {}, json.encode(json.array())
  local active = false
  local tokens, refilled = BURST, nil
  --- The newest event over the limit, and the number of others dropped since.
  local held
  local dropped = 0
  local seq = 0
  local inputs
  local room = alarm.new()
  local self = {}

  local function take_token()
    local now = clock.seconds()
    tokens = math.min(BURST, tokens + (now - (refilled or now)) * PER_SECOND)
    refilled = now
    -- Ticks are not exact fractions: tolerate rounding.
    if tokens < 0.999 then return false end
    tokens = math.max(0, tokens - 1)
    return true
  end

  --- The game's `redstone` event has no arguments: add the changes.
  local function with_signals(event)
    if event[1] ~= REDSTONE or event.n > 1 then return event end
    local before = inputs
    inputs = signals.read()
    return table.pack(REDSTONE, signals.compare(before or inputs, inputs))
  end

  local function describe(event)
    local time = os.epoch and os.epoch("utc") or 0
    local args, truncated = values.plain(event, 2, LIMITS)
    return { name = event[1], time = time, args = args, truncated = truncated }
  end

  local function send(described)
    described.type = "event"
    described.seq = seq
    if dropped > 0 then described.dropped = dropped end
    seq, dropped = seq + 1, 0
    link.send(frames.event(described))
  end

  local function release()
    if not held then return true end
    if take_token() then
      local described = held
      held = nil
      send(described)
      return true
    end
    if not room.is_set() then room.set(1 / PER_SECOND) end
    return false
  end

  --- @treturn[1] table how many are watched
  -- @treturn[2] nil
  -- @treturn[2] string what is wrong; the list is then unchanged
  function self.watch(list)
    if type(list) ~= "table" then return nil, "watch-events needs params.watches, a list" end
    if #list > MAX_WATCHES then return nil, "at most " .. MAX_WATCHES .. " watches" end
    local read = {}
    for index, watch in ipairs(list) do
      local parsed, problem = read_watch(watch)
      if not parsed then return nil, problem end
      read[index] = parsed
    end
    local text = json.encode(json.array(list))
    -- A different list on a new link: counts from before belong to another bridge.
    if not active and text ~= source then
      held, dropped = nil, 0
    end
    if is_wanted(read, { REDSTONE }) and not is_wanted(watches, { REDSTONE }) then
      inputs = signals.read()
    end
    watches, source, active = read, text, true
    release()
    return { watching = #watches }
  end

  --- Without a link, events are counted until the bridge sets watches again.
  function self.suspend()
    active = false
    if held then
      held, dropped = nil, dropped + 1
    end
  end

  function self.offer(event)
    if #watches == 0 or type(event[1]) ~= "string" or not is_wanted(watches, event) then return end
    event = with_signals(event)
    if not active then
      dropped = dropped + 1
    elseif release() and take_token() then
      send(describe(event))
    else
      if held then dropped = dropped + 1 end
      held = describe(event)
      release()
    end
  end

  self.timer = room.take

  function self.look()
    if room.rang() and active then release() end
  end

  return self
end

return { new = new }
