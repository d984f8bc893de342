--- Captures what a task prints: a bounded buffer, and the functions and terminal that fill it.

local preempt = require("mcp.preempt")

local begin_section, end_section = preempt.begin_section, preempt.end_section

local KEEP = 1024 * 1024
local BLOCK = 8192
--- Longer texts are written in pieces, so that they can be streamed meanwhile.
local PIECE = 64 * 1024
local TELL = 1024

local function new_buffer()
  local blocks, first, last = {}, 1, 0
  local recent, recent_size = {}, 0
  local kept = 0
  local untold = 0
  local buffer = { total = 0, on_append = nil }

  local function seal()
    if recent_size == 0 then return end
    last = last + 1
    blocks[last] = table.concat(recent)
    recent, recent_size = {}, 0
    while kept - #blocks[first] >= KEEP do
      kept = kept - #blocks[first]
      blocks[first] = nil
      first = first + 1
    end
  end

  local function append_piece(text)
    begin_section()
    buffer.total = buffer.total + #text
    recent[#recent + 1] = text
    recent_size, kept = recent_size + #text, kept + #text
    if recent_size >= BLOCK or #recent >= BLOCK then seal() end
    end_section()
    untold = untold + #text
    if untold >= TELL and buffer.on_append then
      untold = 0
      buffer.on_append()
    end
  end

  function buffer.append(text)
    if #text <= PIECE then
      if text ~= "" then append_piece(text) end
      return
    end
    for from = 1, #text, PIECE do
      append_piece(string.sub(text, from, from + PIECE - 1))
    end
  end

  function buffer.lost(offset)
    return math.max(0, buffer.total - KEEP - offset)
  end

  function buffer.from(offset, most)
    if buffer.total <= offset then return "", 0 end
    begin_section()
    seal()
    end_section()
    local lost = buffer.lost(offset)
    local from = offset + lost
    local at, index = buffer.total, last
    while at > from do
      at = at - #blocks[index]
      index = index - 1
    end
    local stop, held = index, 0
    while stop < last and (not most or held < most + from - at) do
      stop = stop + 1
      held = held + #blocks[stop]
    end
    local text = table.concat(blocks, "", index + 1, stop)
    text = string.sub(text, from - at + 1, most and from - at + most)
    if lost == 0 then return text, 0 end
    local rest = string.gsub(text, "^[\128-\191][\128-\191]?[\128-\191]?", "")
    return rest, lost + #text - #rest
  end

  return buffer
end

local function new_redirect(buffer, parent)
  local width, height = parent.getSize()
  local colour = parent.isColour()
  local x, y, blink = 1, 1, false
  local at_line_start, moved = true, false
  local text_colour, background = colours.white, colours.black
  local redirect = {}

  local function put(text)
    if moved then
      moved = false
      if not at_line_start then buffer.append("\n") end
    end
    if text == "" then return 0 end
    -- Plain searches: this is the hot path of code that prints line by line.
    local lines, last_newline = 0, 0
    local at = string.find(text, "\n", 1, true)
    while at do
      lines, last_newline = lines + 1, at
      at = string.find(text, "\n", at + 1, true)
    end
    local tail = #text - last_newline
    x = lines > 0 and tail + 1 or x + tail
    y = math.min(height, y + lines)
    at_line_start = tail == 0 and (lines > 0 or at_line_start)
    buffer.append(text)
    return lines
  end

  function redirect.write(text)
    put((string.gsub(tostring(text), "\n", " ")))
  end
  function redirect.blit(text)
    redirect.write(text)
  end
  function redirect.setCursorPos(new_x, new_y)
    if new_x ~= x or new_y ~= y then moved = true end
    x, y = new_x, new_y
  end
  function redirect.getCursorPos()
    return x, y
  end
  function redirect.clear()
    moved = true
  end
  function redirect.clearLine()
    moved = true
  end
  function redirect.scroll()
    moved = true
  end
  function redirect.getSize()
    return width, height
  end
  function redirect.setCursorBlink(on)
    blink = on
  end
  function redirect.getCursorBlink()
    return blink
  end
  function redirect.isColour()
    return colour
  end
  function redirect.setTextColour(value)
    text_colour = value
  end
  function redirect.getTextColour()
    return text_colour
  end
  function redirect.setBackgroundColour(value)
    background = value
  end
  function redirect.getBackgroundColour()
    return background
  end
  function redirect.getPaletteColour(value)
    return parent.getPaletteColour(value)
  end
  function redirect.setPaletteColour() end
  redirect.isColor = redirect.isColour
  redirect.setTextColor, redirect.getTextColor = redirect.setTextColour, redirect.getTextColour
  redirect.setBackgroundColor = redirect.setBackgroundColour
  redirect.getBackgroundColor = redirect.getBackgroundColour
  redirect.getPaletteColor, redirect.setPaletteColor =
    redirect.getPaletteColour, redirect.setPaletteColour
  return redirect, put
end

--- Replaces print and its relatives, which would wrap and scroll (and take quadratic time for long
-- texts).
local function capture()
  local buffer = new_buffer()
  local redirect, put = new_redirect(buffer, term.current())

  --- The original applies once the task redirects to its own terminal.
  local function unless_redirected(original, replacement)
    return function(...)
      if term.current() ~= redirect then return original(...) end
      return replacement(...)
    end
  end

  local function print_raw(...)
    if select("#", ...) == 1 then return put(tostring((...)) .. "\n") end
    local parts = table.pack(...)
    for index = 1, parts.n do
      parts[index] = tostring(parts[index])
    end
    return put(table.concat(parts, "\t") .. "\n")
  end
  local function write_raw(text)
    return put(tostring(text))
  end
  local function tabulate(...)
    return textutils.tabulate(...)
  end

  local patches = {
    { _G, "print", unless_redirected(print, print_raw) },
    { _G, "write", unless_redirected(write, write_raw) },
    { _G, "printError", unless_redirected(printError, print_raw) },
    -- There is no player to press a key.
    { textutils, "pagedPrint", unless_redirected(textutils.pagedPrint, print_raw) },
    { textutils, "pagedTabulate", unless_redirected(textutils.pagedTabulate, tabulate) },
  }
  return { buffer = buffer, term = redirect, patches = patches }
end

return { capture = capture, new_buffer = new_buffer, KEEP = KEEP }
