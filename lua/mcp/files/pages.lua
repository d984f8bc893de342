local paths = require("mcp.files.paths")
local values = require("mcp.values")

local fail = paths.fail
local find = string.find

local MAX_BYTES = 256 * 1024

--- A final newline does not begin another line.
local function line_starts(text, turn)
  local starts, at = {}, 1
  while at <= #text do
    starts[#starts + 1] = at
    if #starts % 64 == 0 then turn() end
    local newline = find(text, "\n", at, true)
    if not newline then break end
    at = newline + 1
  end
  return starts
end

local function line_at(starts, at)
  local low, high = 1, #starts
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if starts[middle] <= at then
      low = middle
    else
      high = middle - 1
    end
  end
  return low
end

local function first_byte(path, text, starts, params)
  local line, offset = tonumber(params.startLine), tonumber(params.offset)
  if offset then
    if offset > #text then
      fail(path, " has only ", #text, " bytes, so there is nothing at ", offset)
    end
    return offset + 1
  end
  if not line or line == 1 then return 1 end
  if line > #starts then fail(path, " has only ", #starts, " lines") end
  return starts[line]
end

local function cut(path, text, params, turn)
  local starts = line_starts(text, turn)
  local from = first_byte(path, text, starts, params)
  local last = tonumber(params.endLine)
  local wanted = last and starts[last + 1] and starts[last + 1] - 1 or #text
  if wanted < from - 1 then fail("endLine is before the part to read") end
  local limit = math.max(1, math.min(tonumber(params.maxBytes) or MAX_BYTES, MAX_BYTES))
  local page = { from = from, stop = wanted, lines = #starts }
  if wanted - from + 1 > limit then
    page.more, page.stop = true, from + limit - 1
    if not params.base64 then
      local piece = string.sub(text, from, wanted)
      local part = values.cut(piece, limit)
      local whole = string.match(part, "^.*\n")
      page.stop = from + #(whole or part) - 1
    end
  end
  if #starts > 0 and from <= #text then
    page.start_line = line_at(starts, from)
    page.end_line = line_at(starts, math.max(page.stop, from))
  end
  return page
end

return { cut = cut }
