local expect = dofile("rom/modules/main/cc/expect.lua").expect
local hex = "0123456789abcdef"
local colour_hex, hex_colour = {}, {}
for i = 0, 15 do
  colour_hex[2 ^ i] = hex:sub(i + 1, i + 1)
  hex_colour[hex:sub(i + 1, i + 1)] = 2 ^ i
end

local function check_colour(value)
  expect(1, value, "number")
  local digit = colour_hex[value]
  if not digit then error("Invalid color (got " .. value .. ")", 3) end
  return digit
end

local function overwrite(line, x, part, width)
  local start, stop = math.max(x, 1), math.min(x + #part - 1, width)
  if start > stop then return line end
  return line:sub(1, start - 1) .. part:sub(start - x + 1, stop - x + 1) .. line:sub(stop + 1)
end

local function resized(line, width, filler)
  if #line >= width then return line:sub(1, width) end
  return line .. filler:rep(width - #line)
end

function create(parent, x, y, width, height, visible)
  expect(1, parent, "table")
  expect(2, x, "number")
  expect(3, y, "number")
  expect(4, width, "number")
  expect(5, height, "number")
  expect(6, visible, "boolean", "nil")
  if parent == term then
    error("term is not a recommended window parent, try term.current() instead", 2)
  end

  visible = visible ~= false
  local cursor_x, cursor_y, blink = 1, 1, false
  local text_colour, background = "0", "f"
  local lines, palette = {}, {}

  local function blank()
    return { (" "):rep(width), text_colour:rep(width), background:rep(width) }
  end
  for row = 1, height do
    lines[row] = blank()
  end
  for i = 0, 15 do
    palette[2 ^ i] = { parent.getPaletteColour(2 ^ i) }
  end

  local function draw_line(row)
    local line = lines[row]
    parent.setCursorPos(x, y + row - 1)
    parent.blit(line[1], line[2], line[3])
  end

  local function restore_cursor()
    parent.setTextColour(hex_colour[text_colour])
    parent.setCursorBlink(blink)
    if cursor_x >= 1 and cursor_y >= 1 and cursor_x <= width and cursor_y <= height then
      parent.setCursorPos(x + cursor_x - 1, y + cursor_y - 1)
    else
      parent.setCursorPos(0, 0)
    end
  end

  local function draw_all()
    for row = 1, height do
      draw_line(row)
    end
    restore_cursor()
  end

  local function put(text, fg, bg)
    local line = lines[cursor_y]
    if line then
      line[1] = overwrite(line[1], cursor_x, text, width)
      line[2] = overwrite(line[2], cursor_x, fg, width)
      line[3] = overwrite(line[3], cursor_x, bg, width)
      if visible then draw_line(cursor_y) end
    end
    cursor_x = cursor_x + #text
    if visible then restore_cursor() end
  end

  local window = {}

  function window.write(text)
    text = tostring(text)
    put(text, text_colour:rep(#text), background:rep(#text))
  end

  function window.blit(text, fg, bg)
    expect(1, text, "string")
    expect(2, fg, "string")
    expect(3, bg, "string")
    if #fg ~= #text or #bg ~= #text then error("Arguments must be the same length", 2) end
    put(text, fg:lower(), bg:lower())
  end

  function window.clear()
    for row = 1, height do
      lines[row] = blank()
    end
    if visible then draw_all() end
  end

  function window.clearLine()
    if lines[cursor_y] then
      lines[cursor_y] = blank()
      if visible then
        draw_line(cursor_y)
        restore_cursor()
      end
    end
  end

  function window.scroll(count)
    expect(1, count, "number")
    if count == 0 then return end
    local scrolled = {}
    for row = 1, height do
      scrolled[row] = lines[row + count] or blank()
    end
    lines = scrolled
    if visible then draw_all() end
  end

  function window.getCursorPos()
    return cursor_x, cursor_y
  end
  function window.setCursorPos(new_x, new_y)
    expect(1, new_x, "number")
    expect(2, new_y, "number")
    cursor_x, cursor_y = math.floor(new_x), math.floor(new_y)
    if visible then restore_cursor() end
  end
  function window.getCursorBlink()
    return blink
  end
  function window.setCursorBlink(value)
    expect(1, value, "boolean")
    blink = value
    if visible then parent.setCursorBlink(blink) end
  end
  function window.getSize()
    return width, height
  end
  function window.isColour()
    return parent.isColour()
  end
  function window.setTextColour(value)
    text_colour = check_colour(value)
    if visible then parent.setTextColour(value) end
  end
  function window.getTextColour()
    return hex_colour[text_colour]
  end
  function window.setBackgroundColour(value)
    background = check_colour(value)
  end
  function window.getBackgroundColour()
    return hex_colour[background]
  end
  function window.setPaletteColour(colour, r, g, b)
    check_colour(colour)
    if g == nil then
      r, g, b = colors.unpackRGB(r)
    end
    palette[colour] = { r, g, b }
    if visible then parent.setPaletteColour(colour, r, g, b) end
  end
  function window.getPaletteColour(colour)
    check_colour(colour)
    return table.unpack(palette[colour])
  end
  for british, american in pairs({
    isColour = "isColor",
    setTextColour = "setTextColor",
    getTextColour = "getTextColor",
    setBackgroundColour = "setBackgroundColor",
    getBackgroundColour = "getBackgroundColor",
    setPaletteColour = "setPaletteColor",
    getPaletteColour = "getPaletteColor",
  }) do
    window[american] = window[british]
  end

  function window.getLine(row)
    expect(1, row, "number")
    if row < 1 or row > height then error("Line is out of range.", 2) end
    return lines[row][1], lines[row][2], lines[row][3]
  end
  function window.setVisible(value)
    expect(1, value, "boolean")
    if visible == value then return end
    visible = value
    if visible then window.redraw() end
  end
  function window.isVisible()
    return visible
  end
  function window.redraw()
    if not visible then return end
    for colour, rgb in pairs(palette) do
      parent.setPaletteColour(colour, table.unpack(rgb))
    end
    draw_all()
  end
  function window.restoreCursor()
    if visible then restore_cursor() end
  end
  function window.getPosition()
    return x, y
  end
  function window.reposition(new_x, new_y, new_width, new_height, new_parent)
    expect(1, new_x, "number")
    expect(2, new_y, "number")
    if new_width ~= nil or new_height ~= nil then
      expect(3, new_width, "number")
      expect(4, new_height, "number")
    end
    expect(5, new_parent, "table", "nil")
    x, y = new_x, new_y
    parent = new_parent or parent
    if new_width then
      width = new_width
      for row = 1, new_height do
        local line = lines[row]
        if line then
          lines[row] = {
            resized(line[1], width, " "),
            resized(line[2], width, text_colour),
            resized(line[3], width, background),
          }
        else
          lines[row] = blank()
        end
      end
      for row = new_height + 1, height do
        lines[row] = nil
      end
      height = new_height
    end
    if visible then window.redraw() end
  end

  if visible then draw_all() end
  return window
end
