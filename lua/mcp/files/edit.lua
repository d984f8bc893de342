local paths = require("mcp.files.paths")
local values = require("mcp.values")

local fail = paths.fail
local find, gsub, sub = string.find, string.gsub, string.sub

local MAX_LINES = 20

local function endings(text)
  local crlf = find(text, "\r\n", 1, true) ~= nil
  local lf = find(text, "^\n") ~= nil or find(text, "[^\r]\n") ~= nil
  if crlf and lf then return "mixed" end
  return crlf and "crlf" or lf and "lf" or "none"
end

local function with_endings(text, style)
  if style == "mixed" or style == "none" then return text end
  text = gsub(text, "\r\n", "\n")
  if style == "crlf" then text = gsub(text, "\n", "\r\n") end
  return text
end

local function occurrences(text, piece, turn)
  local found, line, counted, at = {}, 1, 1, 1
  while true do
    local from, to = find(text, piece, at, true)
    if not from then return found end
    local newline = find(text, "\n", counted, true)
    while newline and newline < from do
      line, counted = line + 1, newline + 1
      newline = find(text, "\n", counted, true)
    end
    found[#found + 1] = { from = from, line = line }
    at = to + 1
    turn()
  end
end

local function lines_of(found)
  local lines = {}
  for _, one in ipairs(found) do
    if lines[#lines] ~= one.line then lines[#lines + 1] = one.line end
    if #lines >= MAX_LINES then break end
  end
  return lines
end

local function name_lines(found)
  local lines = lines_of(found)
  local text = (#lines == 1 and "line " or "lines ") .. table.concat(lines, ", ")
  return #lines >= MAX_LINES and text .. " and more" or text
end

--- A hint when nothing matched: where the first line of the searched text occurs.
local function near_miss(text, old, turn)
  for line in string.gmatch(old, "[^\r\n]+") do
    local words = string.match(line, "^%s*(.-)%s*$")
    if #words > 2 then
      local found = occurrences(text, words, turn)
      if #found == 0 then return "" end
      return " Its text `"
        .. gsub(values.cut(words, 80), "%c", " ")
        .. "` is on "
        .. name_lines(found)
        .. ", so the rest, or whitespace, differs."
    end
  end
  return ""
end

--- @tparam string path for messages
-- @tparam ?number number which of several edits it is
-- @treturn string the new text
-- @treturn table the changed lines
-- @treturn number how many replacements
local function replace(path, text, old, new, every, turn, number)
  local of_edit = number and " of edit " .. number or ""
  local style = endings(text)
  old, new = with_endings(old, style), with_endings(new, style)
  if old == new then
    fail("oldText and newText", of_edit, " are the same, so there is nothing to change")
  end
  local found = occurrences(text, old, turn)
  if #found == 0 then
    fail(
      "oldText",
      of_edit,
      " does not occur in ",
      path,
      ", which was left alone.",
      near_miss(text, old, turn),
      " Read the file and copy the text exactly"
    )
  end
  if #found > 1 and not every then
    fail(
      "oldText",
      of_edit,
      " occurs ",
      #found,
      " times in ",
      path,
      " (",
      name_lines(found),
      "), which was left alone. Add surrounding lines until it is unique, or set replaceAll"
    )
  end
  local pieces, at = {}, 1
  for _, one in ipairs(found) do
    pieces[#pieces + 1] = sub(text, at, one.from - 1)
    pieces[#pieces + 1] = new
    at = one.from + #old
  end
  pieces[#pieces + 1] = sub(text, at)
  return table.concat(pieces), lines_of(found), #found
end

return { replace = replace, endings = endings }
