--- A command computer as a Minecraft server: events are found by polling. They are numbered and
-- kept for a while, so that a bridge that reconnects gets what it missed, or at least how much.

local charset = require("mcp.charset")

local MAX_KEPT = 500
local POLL, LONG_POLL = 1, 15
local MAX_MESSAGE = 1024

local function players()
  local ok, done, lines = pcall(commands.exec, "list uuids")
  if not ok or not done or type(lines) ~= "table" then return nil end
  local list = string.match(table.concat(lines, "\n"), "players online:?(.*)")
  if not list then return nil end
  local found = {}
  for entry in string.gmatch(list, "[^,]+") do
    local name, uuid = string.match(entry, "^%s*(%S+)%s*%(?([%x-]*)%)?%s*$")
    if name then found[name] = uuid end
  end
  return found
end

local function hears_chat()
  for _, kind in ipairs({ "chatBox", "chat_box" }) do
    if peripheral.find(kind) then return true end
  end
  return false
end

local function new(scheduler, name)
  local kept, next_seq = {}, 0
  local online
  local tasks = {}
  local self = {
    name = name,
    --- Identifies this run: sequence numbers restart.
    run = string.format("%x-%x", os.epoch("utc"), math.random(0, 16777215)),
    hears_chat = hears_chat,
    on_notice = function() end,
    first = 0,
  }

  local function tell(kind, data)
    kept[#kept + 1] = { seq = next_seq, eventType = kind, timestamp = os.epoch("utc"), data = data }
    next_seq = next_seq + 1
    if #kept > MAX_KEPT then table.remove(kept, 1) end
  end

  local function event_of(player, uuid)
    return { player = charset.to_text(player), uuid = uuid ~= "" and uuid or nil }
  end

  --- The first poll is the baseline, not a list of joins.
  local function look()
    local now = players()
    if not now then return LONG_POLL end
    for player, uuid in pairs(online or {}) do
      if not now[player] then tell("player_quit", event_of(player, uuid)) end
    end
    for player, uuid in pairs(online and now or {}) do
      if not online[player] then tell("player_join", event_of(player, uuid)) end
    end
    online = now
    return POLL
  end

  local function hear()
    local _, player, message, _, hidden = os.pullEvent("chat")
    if type(player) ~= "string" or type(message) ~= "string" or hidden then return end
    local text = charset.to_text(string.sub(message, 1, MAX_MESSAGE))
    tell("player_chat", { player = charset.to_text(player), message = text })
  end

  local function forever(step)
    local task = { on_done = function() end }
    function task.run()
      while true do
        local pause = step()
        if pause then sleep(pause) end
      end
    end
    tasks[#tasks + 1] = task
    scheduler.spawn(task)
  end

  function self.start()
    forever(look)
    forever(hear)
  end

  function self.stop()
    for _, task in ipairs(tasks) do
      scheduler.cancel(task)
    end
    tasks = {}
  end

  --- Acknowledges all events before `seq`.
  function self.since(seq)
    self.first = math.max(self.first, math.min(seq, next_seq))
    local list = {}
    for _, event in ipairs(kept) do
      if event.seq >= seq then list[#list + 1] = event end
    end
    return list, next_seq
  end

  return self
end

return { new = new }
