--- Text for players: in colour where there is colour, and broken between words.

local COLOURS = {
  error = colours.red,
  good = colours.green,
  code = colours.yellow,
  hint = colours.lightGrey or colours.lightGray,
}

--- The colour of a style. Screens without colour would show most of them as dark greys.
local function colour(style)
  return term.isColour() and COLOURS[style] or colours.white
end

local function wrap(text, width)
  if #text <= width then return { text } end
  local row = string.match(text, "^ *")
  local rows, indent = {}, row == "" and "" or row .. "  "
  for word in string.gmatch(text, "%S+") do
    local joined = string.find(row, "%S") and row .. " " .. word or row .. word
    if #joined <= width then
      row = joined
    else
      if string.find(row, "%S") then rows[#rows + 1] = row end
      while #indent + #word > width do
        local room = width - #indent
        rows[#rows + 1], word = indent .. string.sub(word, 1, room), string.sub(word, room + 1)
      end
      row = indent .. word
    end
  end
  rows[#rows + 1] = row
  return rows
end

local function say(text, style)
  local before = term.getTextColour()
  term.setTextColour(colour(style))
  print(text)
  term.setTextColour(before)
end

--- Lines that are to be typed are indented.
local function style_of(line)
  return string.sub(line, 1, 2) == "  " and "code" or nil
end

--- Prints lines, a screen at a time.
-- @tparam boolean at_once do not wait for a key
local function page(lines, at_once)
  local width, height = term.getSize()
  local room = height - 1
  for _, line in ipairs(lines) do
    for _, row in ipairs(wrap(line, width)) do
      if room == 0 and not at_once then
        local _, y = term.getCursorPos()
        term.setTextColour(colour("hint"))
        term.write("Press any key for more")
        term.setTextColour(colours.white)
        os.pullEvent("key")
        term.clearLine()
        term.setCursorPos(1, y)
        room = height - 1
      end
      say(row, style_of(line))
      room = room - 1
    end
  end
end

local function say_lines(lines)
  page(lines, true)
end

--- Asks a question; only a yes is a yes.
local function ask(question)
  write(question .. " [y/N] ")
  return string.find(read() or "", "^[yY]") ~= nil
end

return { colour = colour, wrap = wrap, say = say, say_lines = say_lines, page = page, ask = ask }
