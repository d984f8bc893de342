--- Screens watched by the bridge: a full screen, then changed rows, throttled.

local alarm = require("mcp.alarm")
local clock = require("mcp.clock")
local frames = require("mcp.frames")
local terminal = require("mcp.mirror.terminal")

local PAUSE = 0.1
local MAX_WATCHES = 8

local function look_at(window)
  local width, height = window.getSize()
  local x, y = window.getCursorPos()
  local blink = window.getCursorBlink and window.getCursorBlink() or false
  local rows = {}
  for row = 1, height do
    local text, fore, back = window.getLine(row)
    rows[row] = { y = row, text = text, foreground = fore, background = back }
  end
  return {
    width = width,
    height = height,
    cursor = { x = x, y = y, blink = blink },
    rows = rows,
    palette = terminal.palette(window),
  }
end

local function changes(before, after)
  local found, changed = { rows = frames.array() }, false
  for index, row in ipairs(after.rows) do
    local old = before.rows[index]
    local same = old.text == row.text
      and old.foreground == row.foreground
      and old.background == row.background
    if not same then
      changed = true
      local sent = { y = row.y, foreground = row.foreground, background = row.background }
      terminal.put_bytes(sent, row.text)
      found.rows[#found.rows + 1] = sent
    end
  end
  local a, b = before.cursor, after.cursor
  if a.x ~= b.x or a.y ~= b.y or a.blink ~= b.blink then changed = true end
  found.cursor = b
  if table.concat(before.palette) ~= table.concat(after.palette) then
    found.palette, changed = after.palette, true
  end
  return changed and found or nil
end

local function new(link)
  local watches, count = {}, 0
  local pause = alarm.new()
  local self = {}

  local function drop(key)
    if not watches[key] then return end
    watches[key], count = nil, count - 1
  end

  local function send(watch)
    local seen = look_at(watch.program.window)
    local before = watch.seen
    watch.seen, watch.looked = seen, clock.seconds()
    if not before or before.width ~= seen.width or before.height ~= seen.height then
      return link.send(
        frames.screen(watch.program.id, { screen = terminal.snapshot(watch.program.window, true) })
      )
    end
    local found = changes(before, seen)
    if found then link.send(frames.screen(watch.program.id, found)) end
  end

  local function drop_unnamed(kept)
    for key, watch in pairs(watches) do
      if not watch.named and key ~= kept then drop(key) end
    end
  end

  function self.stop(job)
    if job then
      drop(job)
    else
      drop_unnamed()
    end
    return { watching = false, job = job }
  end

  function self.watch(program, named, whole)
    local key = program.id or ""
    if not named then drop_unnamed(key) end
    local watch = watches[key]
    if not watch or watch.program ~= program then
      if not watch then
        if count >= MAX_WATCHES then
          return nil, "at most " .. MAX_WATCHES .. " screens can be watched"
        end
        count = count + 1
      end
      watch = { program = program, named = named }
      watches[key] = watch
    end
    watch.named = watch.named or named
    if whole then watch.seen = nil end
    return { watching = true, job = program.id }
  end

  function self.suspend()
    watches, count = {}, 0
    pause.clear()
  end

  --- Called on every event: nothing is drawn without one.
  function self.look()
    if count == 0 then return end
    pause.rang()
    for key, watch in pairs(watches) do
      local ended = watch.program.ended
      if ended or not watch.looked or clock.seconds() - watch.looked >= PAUSE - 0.01 then
        send(watch)
        if ended then
          link.send(frames.screen(watch.program.id, { ended = true }))
          drop(key)
        end
      elseif not pause.is_set() then
        pause.set(PAUSE)
      end
    end
  end

  self.timer = pause.take

  return self
end

return { new = new }
