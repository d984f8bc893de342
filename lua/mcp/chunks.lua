local json = require("mcp.json")

local ENVELOPE = 128
local MAX_TRANSFERS = 8

--- @tparam string text ASCII, so that it can be cut anywhere
local function split(text, limit, transfer)
  if #text <= limit then return { text } end
  local room = limit - ENVELOPE
  local slices, at = {}, 1
  while at <= #text do
    local slice = string.sub(text, at, at + room - 1)
    -- Quotes and backslashes take two bytes in a JSON string.
    local _, extra = string.gsub(slice, '["\\]', "")
    if #slice + extra > room then slice = string.sub(slice, 1, room - extra) end
    if #slice == 0 then slice = string.sub(text, at, at + math.floor(room / 2) - 1) end
    slices[#slices + 1] = slice
    at = at + #slice
  end
  for index = 1, #slices do
    slices[index] = json.encode({
      type = "chunk",
      transfer = transfer,
      index = index - 1,
      count = #slices,
      data = slices[index],
    })
  end
  return slices
end

--- Buffers at most `max_bytes` in a few transfers. The game may drop a chunk, which leaves its
-- transfer incomplete: the least recently used one is evicted.
local function new_joiner(max_bytes)
  local transfers, open, held = {}, 0, 0
  local pushes = 0
  local joiner = {}

  local function drop(id)
    held = held - transfers[id].size
    transfers[id] = nil
    open = open - 1
  end

  local function make_room(id)
    local quiet
    for name, transfer in pairs(transfers) do
      if name ~= id and (not quiet or transfer.touched < transfers[quiet].touched) then
        quiet = name
      end
    end
    if quiet then drop(quiet) end
    return quiet ~= nil
  end

  function joiner.push(chunk)
    local id, index, count, data = chunk.transfer, chunk.index, chunk.count, chunk.data
    if type(id) == "nil" or type(index) ~= "number" or type(count) ~= "number" then
      return nil, "not a chunk"
    end
    if type(data) ~= "string" then return nil, "not a chunk" end
    id = tostring(id)
    local transfer = transfers[id]
    pushes = pushes + 1
    if not transfer then
      if index ~= 0 then return nil, "a transfer that was not begun" end
      if open >= MAX_TRANSFERS then make_room(id) end
      transfer = { parts = {}, count = count, size = 0 }
      transfers[id], open = transfer, open + 1
    elseif index ~= #transfer.parts or count ~= transfer.count then
      drop(id)
      return nil, "a chunk out of order"
    end
    transfer.touched = pushes
    while held + #data > max_bytes and make_room(id) do
    end
    if held + #data > max_bytes then
      drop(id)
      return nil, "a transfer above " .. max_bytes .. " bytes"
    end
    held, transfer.size = held + #data, transfer.size + #data
    transfer.parts[#transfer.parts + 1] = data
    if #transfer.parts < count then return nil end
    local text = table.concat(transfer.parts)
    drop(id)
    return text
  end

  return joiner
end

return { split = split, new_joiner = new_joiner }
