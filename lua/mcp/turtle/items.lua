local json = require("mcp.json")

local SLOTS = 16

local function detail_of(slot)
  local ok, detail = pcall(turtle.getItemDetail, slot)
  if not ok and detail == "Terminated" then error(detail, 0) end
  return ok and type(detail) == "table" and detail or nil
end

local function slot_list()
  local list = json.array()
  for slot = 1, SLOTS do
    local detail = detail_of(slot)
    if detail then
      list[#list + 1] = {
        slot = slot,
        name = tostring(detail.name),
        count = tonumber(detail.count) or 0,
      }
    end
  end
  return list
end

local function text_of(list)
  local parts = {}
  for index, each in ipairs(list) do
    parts[index] = "[" .. each.slot .. "] " .. each.count .. " " .. each.name
  end
  return table.concat(parts, ", ")
end

local function slots_with(item)
  local carried = slot_list()
  local found = {}
  for _, each in ipairs(carried) do
    if each.name == item or each.name:match(":(.*)$") == item then found[#found + 1] = each end
  end
  if found[1] then return found end
  local others = carried[1] and ", but " .. text_of(carried) or "; all its slots are empty"
  return nil, "it carries no " .. item .. others
end

local function select_item(item)
  local found, problem = slots_with(item)
  if not found then return false, problem end
  turtle.select(found[1].slot)
  return true, "slot " .. found[1].slot .. ", " .. found[1].count .. " " .. found[1].name
end

local function use(run, count)
  local slot = turtle.getSelectedSlot()
  local before = turtle.getItemCount(slot)
  local ok, result, reason = pcall(run, count)
  if not ok then
    if result == "Terminated" then error(result, 0) end
    return false, 0, tostring(result)
  end
  if not result then return false, 0, reason or "no reason given" end
  return true, before - turtle.getItemCount(slot)
end

local function use_item(run, item, count)
  local found, problem = slots_with(item)
  if not found then return false, 0, problem end
  local selected, used, any = turtle.getSelectedSlot(), 0, false
  for _, each in ipairs(found) do
    local wanted = count and math.min(count - used, each.count) or each.count
    if any and wanted <= 0 then break end
    turtle.select(each.slot)
    local ok, left, reason = use(run, wanted)
    any, used, problem = any or ok, used + left, reason
    if not ok then break end
  end
  turtle.select(selected)
  return any, used, problem, found[1].name
end

--- `args` is `{ count }` for the selected slot, or `{ item, count }` for all slots.
-- @treturn boolean whether any were used
-- @treturn string how many of what, or why none were
local function use_items(run, args)
  if type(args[1]) == "string" then
    local ok, used, problem, name = use_item(run, args[1], args[2])
    if not ok then return false, problem end
    return true, used .. (args[2] and args[2] > used and " of " .. args[2] or "") .. " " .. name
  end
  local detail = detail_of(turtle.getSelectedSlot())
  local ok, used, problem = use(run, args[1])
  if not ok then return false, problem end
  return true, used .. " " .. tostring(detail and detail.name)
end

return {
  select_item = select_item,
  slot_list = slot_list,
  text_of = text_of,
  use_items = use_items,
}
