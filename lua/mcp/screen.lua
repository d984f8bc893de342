--- What the player sees of the program: one area of the screen that is drawn again when something changes.

local paint = require("mcp.paint")

local function new(silent)
  local top, drawn = nil, 0
  local content, shown = {}, nil
  local lent = false
  local self = { is_silent = silent }

  --- The rows of the area: the last ones, if there are more than the screen has.
  local function rows_of(width, height)
    local rows = {}
    for _, line in ipairs(content) do
      for _, text in ipairs(paint.wrap(line[1], width)) do
        rows[#rows + 1] = { text, line[2] }
      end
    end
    return { table.unpack(rows, math.max(1, #rows - height + 1)) }
  end

  local function draw()
    if silent or lent or #content == 0 then return end
    local width, height = term.getSize()
    local rows = rows_of(width, height)
    if not top then
      local x, y = term.getCursorPos()
      top = x > 1 and y + 1 or y
    end
    local over = top + #rows - 1 - height
    if over > 0 then
      term.scroll(over)
      top = top - over
    end
    for index = 1, math.max(#rows, math.min(drawn, height - top + 1)) do
      local row = rows[index] or { "" }
      term.setCursorPos(1, top + index - 1)
      term.clearLine()
      term.setTextColour(paint.colour(row[2]))
      term.write(row[1])
    end
    term.setTextColour(colours.white)
    drawn = #rows
  end

  --- Shows lines, each `{ text, style }` (see mcp.paint), in place of those before.
  function self.show(lines)
    local parts = {}
    for index, line in ipairs(lines) do
      parts[index] = (line[2] or "") .. "\n" .. line[1]
    end
    local text = table.concat(parts, "\n")
    if text == shown then return end
    content, shown = lines, text
    draw()
  end

  function self.last_words(lines)
    print()
    for _, line in ipairs(lines) do
      paint.say(line[1], line[2])
    end
  end

  function self.lend()
    if silent then
      return nil, "the prompt is on this computer's screen, so nothing else can be shown"
    end
    if lent then return nil, "another program is on this computer's screen" end
    lent = true
    return term.current()
  end

  function self.take_back()
    lent, top, drawn = false, 1, 0
    term.setBackgroundColour(colours.black)
    term.setCursorBlink(false)
    term.clear()
    draw()
  end

  function self.close()
    if lent then self.take_back() end
    if silent or not top then return end
    term.setCursorPos(1, top + math.max(drawn, 1) - 1)
    print()
  end

  self.redraw = draw

  return self
end

return { new = new }
