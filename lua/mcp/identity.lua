local charset = require("mcp.charset")
local keys = require("mcp.keys")

local function label()
  local text = os.getComputerLabel()
  if type(text) ~= "string" or text == "" then return nil end
  return charset.to_text(text)
end

local function describe()
  return os.getComputerID() .. " (Label: " .. (label() or "null") .. ")"
end

local function kind()
  if turtle then return "turtle" end
  if pocket then return "pocket" end
  if commands then return "command" end
  return "computer"
end

local function is_advanced()
  local native = term.native()
  return native.isColour() == true
end

local function random_id()
  local parts = {}
  -- The generator may have the same seed on every computer, so mix in the clock and the id.
  local seed = (os.epoch("utc") + os.getComputerID() * 7919) % 16777216
  for index = 1, 4 do
    parts[index] = string.format("%06x", (math.random(0, 16777215) + seed * index) % 16777216)
  end
  return table.concat(parts)
end

local in_memory
local kept = true

--- A persistent random id: computer ids repeat from world to world.
local function instance()
  if in_memory then return in_memory end
  in_memory = keys.get("instance") or keys.old_instance()
  if in_memory then return in_memory end
  in_memory = random_id()
  -- A full disk must not prevent linking: the id then lasts until the next start.
  kept = keys.save({ instance = in_memory })
  return in_memory
end

local function is_kept()
  return kept
end

return {
  label = label,
  describe = describe,
  kind = kind,
  is_advanced = is_advanced,
  instance = instance,
  is_kept = is_kept,
}
