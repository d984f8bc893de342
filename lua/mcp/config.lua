--- What is remembered between starts, through the settings API.

local NAMES = {
  url = "mcp_computer.url",
  token = "mcp_computer.token",
  world = "mcp_computer.world",
  allow = "mcp_computer.allow",
  secret = "mcp_computer.secret",
  server = "mcp_computer.server",
}

local DESCRIPTIONS = {
  url = "The bridge that mcp-computer links to, such as ws://192.168.1.20:3001",
  token = "That bridge's link token, if it requires one.",
  allow = "What a bridge may do here: look, files (look and change files) or all.",
  secret = "This computer's secret from pairing, and the bridge that it is for. Keep it.",
  world = "A name for this world, shown by the bridge beside the computer.",
  server = "On a command computer: offer the Minecraft server under this name.",
}

--- Describes the settings, so that the `set` program knows them.
local function define()
  if not settings.define then return end
  for key, name in pairs(NAMES) do
    settings.define(name, { description = DESCRIPTIONS[key], type = "string" })
  end
end

--- A remembered value, or nil.
local function get(key)
  local value = settings.get(NAMES[key])
  if type(value) == "string" and value ~= "" then return value end
  return nil
end

--- Remembers values on disk. `false` forgets one. Returns false when the disk is full.
local function save(changes)
  for key, value in pairs(changes) do
    if value then
      settings.set(NAMES[key], value)
    else
      settings.unset(NAMES[key])
    end
  end
  local ok, saved = pcall(settings.save, ".settings")
  return ok and saved ~= false
end

--- The secret of this computer for one bridge, or nil. Another bridge never gets to see it.
local function secret_for(url)
  local secret, bridge = string.match(get("secret") or "", "^(%S+) (%S+)$")
  return bridge == url and secret or nil
end

local function save_secret(secret, url)
  return save({ secret = secret .. " " .. url })
end

return {
  define = define,
  get = get,
  save = save,
  secret_for = secret_for,
  save_secret = save_secret,
  NAMES = NAMES,
}
