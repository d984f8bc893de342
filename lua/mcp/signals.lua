--- Redstone inputs: the game's `redstone` event has neither side nor strength.

local function read()
  local inputs = {}
  for _, side in ipairs(redstone.getSides()) do
    inputs[side] = {
      level = redstone.getAnalogInput(side),
      bundled = redstone.getBundledInput(side),
    }
  end
  return inputs
end

local function compare(before, now)
  local changed, on = {}, {}
  for side, input in pairs(now) do
    local old = before[side] or input
    if input.level ~= old.level then changed[side] = { from = old.level, to = input.level } end
    if input.bundled ~= old.bundled then
      changed[side] = changed[side] or {}
      changed[side].bundledFrom, changed[side].bundledTo = old.bundled, input.bundled
    end
    if input.level > 0 then on[side] = input.level end
  end
  return { changed = changed, inputs = on }
end

return { read = read, compare = compare }
