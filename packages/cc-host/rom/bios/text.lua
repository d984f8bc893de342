local expect = ...

local function new_line(height)
  local _, y = term.getCursorPos()
  if y < height then
    term.setCursorPos(1, y + 1)
  else
    term.setCursorPos(1, height)
    term.scroll(1)
  end
end

function write(text)
  expect(1, text, "string", "number")
  text = tostring(text)
  local width, height = term.getSize()
  local lines, position = 0, 1

  local function break_line()
    new_line(height)
    lines = lines + 1
  end

  while position <= #text do
    local blank = text:match("^[ \t]+", position)
    if blank then
      term.write(blank)
      position = position + #blank
      if
        (term.getCursorPos()) > width
        and text:sub(position, position) ~= "\n"
        and position <= #text
      then
        break_line()
      end
    elseif text:sub(position, position) == "\n" then
      break_line()
      position = position + 1
    else
      local word = text:match("^[^ \t\n]+", position)
      position = position + #word
      if #word > width then
        while #word > 0 do
          local x = term.getCursorPos()
          if x > width then
            break_line()
            x = 1
          end
          term.write(word:sub(1, width - x + 1))
          word = word:sub(width - x + 2)
        end
      else
        if (term.getCursorPos()) + #word - 1 > width then break_line() end
        term.write(word)
      end
    end
  end
  return lines
end

function print(...)
  local lines = 0
  for i = 1, select("#", ...) do
    if i > 1 then lines = lines + write("\t") end
    lines = lines + write(tostring((select(i, ...))))
  end
  return lines + write("\n")
end

function printError(...)
  local colour
  if term.isColour() then
    colour = term.getTextColour()
    term.setTextColour(colors.red)
  end
  print(...)
  if colour then term.setTextColour(colour) end
end

function read(mask, history, complete, default)
  expect(1, mask, "string", "nil")
  expect(2, history, "table", "nil")
  expect(3, complete, "function", "nil")
  expect(4, default, "string", "nil")
  local line = default or ""
  local cursor, scroll = #line, 0
  local shown = history and #history + 1 or 0
  local start = term.getCursorPos()
  local width = term.getSize()
  if mask then mask = mask:sub(1, 1) end
  term.setCursorBlink(true)

  local function draw(blank)
    if cursor - scroll + start >= width then scroll = start + cursor - width end
    if cursor < scroll then scroll = cursor end
    local _, y = term.getCursorPos()
    term.setCursorPos(start, y)
    local visible = line:sub(scroll + 1)
    if blank then
      visible = (" "):rep(#visible)
    elseif mask then
      visible = mask:rep(#visible)
    end
    term.write(visible)
    term.setCursorPos(start + cursor - scroll, y)
  end

  local function edit(new_text, new_cursor)
    draw(true)
    line, cursor = new_text, new_cursor
    draw()
  end

  local function recall(index)
    shown = index
    local entry = history[index] or ""
    scroll = 0
    edit(entry, #entry)
  end

  local function insert(text)
    edit(line:sub(1, cursor) .. text .. line:sub(cursor + 1), cursor + #text)
  end

  draw()
  while true do
    local event, param = os.pullEvent()
    if event == "char" or event == "paste" then
      insert(param)
    elseif event == "key" then
      if param == keys.enter or param == keys.numPadEnter then
        break
      elseif param == keys.left and cursor > 0 then
        edit(line, cursor - 1)
      elseif param == keys.right and cursor < #line then
        edit(line, cursor + 1)
      elseif param == keys.backspace and cursor > 0 then
        edit(line:sub(1, cursor - 1) .. line:sub(cursor + 1), cursor - 1)
      elseif param == keys.delete and cursor < #line then
        edit(line:sub(1, cursor) .. line:sub(cursor + 2), cursor)
      elseif param == keys.home then
        edit(line, 0)
      elseif param == keys["end"] then
        edit(line, #line)
      elseif param == keys.up and history and shown > 1 then
        recall(shown - 1)
      elseif param == keys.down and history and shown <= #history then
        recall(shown + 1)
      end
    elseif event == "term_resize" then
      width = term.getSize()
      draw()
    end
  end
  term.setCursorBlink(false)
  local _, y = term.getCursorPos()
  term.setCursorPos(width + 1, y)
  print()
  return line
end
