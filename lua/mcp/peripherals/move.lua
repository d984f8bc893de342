local calls = require("mcp.peripherals.calls")
local json = require("mcp.json")
local values = require("mcp.values")

local MAX_NAMED = 20

local function pattern_of(item)
  local pattern = item:lower():gsub("[%^%$%(%)%%%.%[%]%+%-%?]", "%%%0"):gsub("%*", ".*")
  if not item:find(":", 1, true) then pattern = "[^:]*:?" .. pattern end
  return "^" .. pattern .. "$"
end

local function read_all(names)
  local contents, functions, problem = {}, {}, nil
  for _, name in ipairs(names) do
    functions[#functions + 1] = function()
      local ok, result = calls.call(name, "list")
      if ok and type(result[1]) == "table" then
        contents[name] = result[1]
      else
        problem = problem or name .. " could not be read: " .. tostring(ok and "no list" or result)
      end
    end
  end
  calls.run_all(functions)
  return not problem and contents or nil, problem
end

local function find_stacks(names, contents, item)
  local pattern, stacks, total = pattern_of(item), {}, 0
  for _, name in ipairs(names) do
    local slots = {}
    for slot, each in pairs(contents[name]) do
      local wanted = type(each) == "table" and tostring(each.name):lower():find(pattern)
      if type(slot) == "number" and wanted then slots[#slots + 1] = slot end
    end
    table.sort(slots)
    for _, slot in ipairs(slots) do
      local stack = contents[name][slot]
      local count = tonumber(stack.count) or 0
      total = total + count
      stacks[#stacks + 1] = {
        from = name,
        slot = slot,
        count = count,
        item = tostring(stack.name),
        -- Items with the same name but different NBT do not stack.
        kind = tostring(stack.name) .. " " .. tostring(stack.nbt),
      }
    end
  end
  return stacks, total
end

--- For the error message: names that share a word with the wanted one first.
local function other_items(contents, item)
  local near, far, seen = {}, {}, {}
  for _, slots in pairs(contents) do
    for _, stack in pairs(slots) do
      local name = type(stack) == "table" and tostring(stack.name)
      if name and not seen[name] then
        seen[name] = true
        local part = false
        for word in item:lower():gsub("^.*:", ""):gmatch("%w+") do
          part = part or name:lower():find(word, 1, true) ~= nil
        end
        local list = part and near or far
        list[#list + 1] = name
      end
    end
  end
  local list = #near > 0 and near or far
  if #list == 0 then return "; they are empty" end
  table.sort(list)
  local more = #list > MAX_NAMED and " and " .. #list - MAX_NAMED .. " more" or ""
  return "; there is " .. table.concat(list, ", ", 1, math.min(#list, MAX_NAMED)) .. more
end

local function next_batch(state, first)
  local batch, left, index = {}, state.wanted - state.moved, first
  while index <= #state.stacks and #batch < calls.MAX_CALLS and left > 0 do
    local stack = state.stacks[index]
    if not state.full[stack.kind] then
      local count = math.min(stack.count, left)
      batch[#batch + 1] = { stack = stack, count = count }
      left = left - count
    end
    index = index + 1
  end
  return batch, index
end

local function push(state, stack, count)
  local ok, result = calls.call(stack.from, "pushItems", state.to, stack.slot, count)
  if not ok then
    state.problem = state.problem or result
    return
  end
  local moved = tonumber(result[1]) or 0
  state.moved = state.moved + moved
  state.by_source[stack.from] = (state.by_source[stack.from] or 0) + moved
  state.by_item[stack.item] = (state.by_item[stack.item] or 0) + moved
  local pair = state.pairs[stack.from .. "\n" .. stack.item]
  if moved > 0 and pair then
    pair.count = pair.count + moved
  elseif moved > 0 then
    pair = { from = stack.from, to = state.to, item = stack.item, count = moved }
    state.pairs[stack.from .. "\n" .. stack.item] = pair
    state.list[#state.list + 1] = pair
  end
  if moved < count then
    state.full[stack.kind] = true
    state.short = true
  end
end

local function move_all(state)
  local first = 1
  while state.moved < state.wanted and not state.problem do
    local batch
    batch, first = next_batch(state, first)
    if #batch == 0 then return end
    local functions = {}
    for index, each in ipairs(batch) do
      functions[index] = function()
        push(state, each.stack, each.count)
      end
    end
    calls.run_all(functions)
    if first <= #state.stacks and state.moved < state.wanted then
      print("moved " .. state.moved .. " of " .. state.wanted .. " so far")
    end
  end
end

local function counts(by_name, word)
  local names = {}
  for name, count in pairs(by_name) do
    if count > 0 then names[#names + 1] = name end
  end
  table.sort(names)
  for index, name in ipairs(names) do
    names[index] = by_name[name] .. word .. name
  end
  if #names > MAX_NAMED then
    names[MAX_NAMED + 1] = "and more"
    return table.concat(names, ", ", 1, MAX_NAMED + 1)
  end
  return table.concat(names, ", ")
end

local function report(state)
  if state.moved == 0 then return "moved nothing" end
  return "moved "
    .. counts(state.by_item, " ")
    .. " to "
    .. state.to
    .. " ("
    .. counts(state.by_source, " from ")
    .. ")"
end

--- What the target and the sources that were touched hold of it now.
local function holdings(state, item)
  local names = {}
  for name, count in pairs(state.by_source) do
    if count > 0 then names[#names + 1] = name end
  end
  table.sort(names)
  table.insert(names, 1, state.to)
  while #names > MAX_NAMED do
    names[#names] = nil
  end
  local contents = read_all(names)
  if not contents then return nil end
  local lines = {}
  for index, name in ipairs(names) do
    local by_item = {}
    for _, stack in ipairs(find_stacks({ name }, contents, item)) do
      by_item[stack.item] = (by_item[stack.item] or 0) + stack.count
    end
    local held = counts(by_item, " ")
    lines[index] = name .. " holds " .. (held == "" and "none of it" or held)
  end
  return "now " .. table.concat(lines, "; ")
end

local function sources(params, via)
  local named = params.from
  if type(named) == "string" then named = { named } end
  local names = {}
  for _, name in ipairs(calls.inventory_names(named)) do
    if name ~= params.to and (named or (via[name] ~= nil) == (via[params.to] ~= nil)) then
      names[#names + 1] = name
    end
  end
  return names
end

local function check_places(names, to, via)
  for _, name in ipairs({ to, table.unpack(names) }) do
    if not peripheral.isPresent(name) then
      return "there is no inventory named " .. name .. ": list-inventory shows them"
    end
    if not calls.is_inventory(name) then
      return name .. " is not an inventory: it is " .. table.concat(calls.types_of(name), ", ")
    end
    if (via[name] ~= nil) ~= (via[to] ~= nil) then
      return "the game moves items only between inventories of one wired network, or between two that "
        .. "touch the computer, so nothing can go from "
        .. name
        .. " to "
        .. to
    end
  end
  if #names == 0 then return "there is no other inventory to take items from" end
end

local function check(params)
  if type(params) ~= "table" then return "move-items needs params" end
  if type(params.item) ~= "string" or type(params.to) ~= "string" then
    return "move-items needs params.item and params.to"
  end
  local count = params.count
  if count ~= nil and (type(count) ~= "number" or count < 1 or count ~= math.floor(count)) then
    return "params.count must be a whole number above 0"
  end
end

--- @tparam table params `item`, `to`, `from` (a name, a list, or nil for all), `count` (or nil for
-- all)
local function run(params)
  local problem = check(params)
  if problem then return nil, problem end
  local via = calls.remote_sides()
  local names = sources(params, via)
  problem = check_places(names, params.to, via)
  if problem then return nil, problem .. ". Nothing was moved" end
  local contents
  contents, problem = read_all(names)
  if not contents then return nil, problem .. ". Nothing was moved" end
  local stacks, total = find_stacks(names, contents, params.item)
  if total == 0 then
    local others = other_items(contents, params.item)
    return nil, "no " .. params.item .. " in " .. #names .. " inventories" .. others
  end
  local state = {
    to = params.to,
    stacks = stacks,
    wanted = math.min(params.count or total, total),
    moved = 0,
    by_source = {},
    by_item = {},
    pairs = {},
    list = json.array(),
    full = {},
  }
  move_all(state)
  local now = state.moved > 0 and holdings(state, params.item)
  local result = { returns = values.describe({ n = 1, state.moved }), moved = state.list }
  local text = report(state)
  if state.moved == (params.count or total) then
    print(text)
    if now then print(now) end
    return result
  end
  local why = state.problem or state.short and params.to .. " is full" or "there are only " .. total
  local wanted = params.count or total
  if now then print(now) end
  return nil, text .. ", which is " .. state.moved .. " of " .. wanted .. ": " .. why, result
end

return { run = run }
