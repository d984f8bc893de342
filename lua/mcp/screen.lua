local explain = require("mcp.explain")

local function new(silent)
  local row
  local shown = {}
  local missed
  local status = { "", "" }
  local self = {}

  local function draw()
    if silent or not row then return end
    local width = term.getSize()
    for index = 1, 2 do
      term.setCursorPos(1, row + index - 1)
      term.clearLine()
      term.write(string.sub(status[index], 1, width))
    end
  end

  local function place()
    local _, y = term.getCursorPos()
    local _, height = term.getSize()
    if y + 1 > height then
      term.scroll(y + 1 - height)
      y = height - 1
    end
    row = y
    draw()
  end

  local function lift()
    if not row then return end
    for line = row, row + 1 do
      term.setCursorPos(1, line)
      term.clearLine()
    end
    term.setCursorPos(1, row)
    row = nil
  end

  local function show(...)
    if missed then
      for _, line in ipairs({ ... }) do
        missed[#missed + 1] = line
      end
      return
    end
    local had_status = row ~= nil
    lift()
    for _, line in ipairs({ ... }) do
      print(line)
    end
    if had_status then place() end
  end

  function self.print(...)
    if not silent then show(...) end
  end

  --- Once per kind until the next link.
  function self.failure(failure)
    -- A fatal failure is shown even in the background.
    if shown[failure.kind] or (silent and not failure.fatal) then return end
    shown[failure.kind] = true
    local text, detail = failure.text, failure.detail
    if detail ~= "" and not string.find(text, detail, 1, true) then
      text = text .. " (" .. detail .. ")"
    end
    if silent then print("\nmcp-computer stopped:") end
    show(text, table.unpack(failure.remedy))
  end

  function self.recovered()
    shown = {}
  end

  function self.status(first, second)
    first, second = explain.one_line(first), explain.one_line(second or "")
    if first == status[1] and second == status[2] and row then return end
    status = { first, second }
    if self.on_status then self.on_status(first) end
    if silent or missed then return end
    if row then
      draw()
    else
      place()
    end
  end

  function self.lend()
    if silent then
      return nil, "the prompt is on this computer's screen, so nothing else can be shown"
    end
    if missed then return nil, "another program is on this computer's screen" end
    lift()
    missed = {}
    return term.current()
  end

  function self.take_back()
    local lines = missed
    missed = nil
    term.setTextColour(colours.white)
    term.setBackgroundColour(colours.black)
    term.setCursorBlink(false)
    term.clear()
    term.setCursorPos(1, 1)
    show(table.unpack(lines))
    place()
  end

  function self.close()
    if missed then self.take_back() end
    if silent or not row then return end
    local last = row + 1
    row = nil
    term.setCursorPos(1, last)
    print()
  end

  function self.redraw()
    draw()
  end

  return self
end

return { new = new }
