local brief = require("mcp.brief")
local keys = require("mcp.keys")

local NAMES = {
  url = "mcp_computer.url",
  token = "mcp_computer.token",
  world = "mcp_computer.world",
  allow = "mcp_computer.allow",
  secret = "mcp_computer.secret",
  server = "mcp_computer.server",
  share = "mcp_computer.share",
  monitors = "mcp_computer.monitors",
}

--- Moved out of the settings: earlier versions kept them there, and players set them there.
local KEYS = { "token", "secret" }

--- The programs that start at boot (see mcp.boot).
local BOOT_FILE = "/.mcp-computer.boot"

local FLAGS = { share = true, monitors = true }

local DESCRIPTIONS = {
  url = "The bridge that mcp-computer links to, such as ws://192.168.1.20:3001",
  token = "A link token to use from the next start on; it is then kept in " .. keys.FILE .. ".",
  allow = "What a bridge may do here: look, files (look and change files) or all.",
  secret = "Where earlier versions kept the secret from pairing.",
  world = "A name for this world, shown by the bridge beside the computer.",
  share = "true: a bridge may see and type on this screen, from the next boot on.",
  monitors = "false: a bridge may not read what this computer draws on monitors.",
  server = "On a command computer: offer the Minecraft server under this name.",
}

local function define()
  if not settings.define then return end
  for key, name in pairs(NAMES) do
    -- The game drops a value of another type, and with it what was meant as a lock.
    local kind = key ~= "allow" and (FLAGS[key] and "boolean" or "string") or nil
    settings.define(name, { description = DESCRIPTIONS[key], type = kind })
  end
end

local function get_setting(key)
  local value = settings.get(NAMES[key])
  if type(value) == "string" and value ~= "" then return value end
  return nil
end

local function setting(key)
  local value = settings.get(NAMES[key])
  if value == "" then return nil end
  return value
end

local function save_settings()
  local ok, saved = pcall(settings.save, ".settings")
  return ok and saved ~= false
end

local function get(key)
  local value = get_setting(key)
  if key == "url" then
    local whole = keys.get("url")
    return whole and brief.public_url(whole) == value and whole or value
  end
  if value == nil and (key == "token" or key == "secret") then return keys.get(key) end
  return value
end

local function save(changes)
  local own = {}
  for _, key in ipairs(KEYS) do
    if changes[key] ~= nil then own[key] = changes[key] end
  end
  local public = changes.url and brief.public_url(changes.url)
  -- A URL may contain a token.
  if changes.url ~= nil then own.url = changes.url ~= public and changes.url end
  if not keys.save(own) then return false end
  for key, value in pairs(changes) do
    if key == "url" then value = public end
    if value and own[key] ~= value then
      settings.set(NAMES[key], value)
    else
      settings.unset(NAMES[key])
    end
  end
  return save_settings()
end

--- Moves keys from the settings, or from the file of an earlier version, to where no tool reads
-- them. They override stored ones; an empty token deletes it.
-- @treturn boolean whether no key is left where tools read it
-- @treturn string|nil a message for the player
local function take_over()
  local found, named = { instance = keys.old_instance() }, {}
  for _, key in ipairs(KEYS) do
    local value = settings.get(NAMES[key])
    if type(value) == "string" then
      found[key] = value ~= "" and value
      if found[key] then named[#named + 1] = NAMES[key] end
    end
  end
  local url = get_setting("url")
  local public = url and brief.public_url(url)
  if url ~= public then
    found.url = url
    named[#named + 1] = "the token in " .. NAMES.url
  end
  if next(found) == nil then return true end
  if not keys.save(found) then
    return false,
      "Could not write " .. keys.FILE .. ": is the disk full? The keys stay in /.settings."
  end
  pcall(fs.delete, keys.OLD_ID)
  if found.url then settings.set(NAMES.url, public) end
  local changed = found.url ~= nil
  for _, key in ipairs(KEYS) do
    if found[key] ~= nil then
      settings.unset(NAMES[key])
      changed = true
    end
  end
  if changed and not save_settings() then
    return false, "Could not save the settings: keys may still be in /.settings. Is the disk full?"
  end
  if #named == 0 then return true end
  return true, table.concat(named, " and ") .. " moved to " .. keys.FILE .. ", which no tool reads."
end

--- Secrets are per bridge: another bridge never sees it.
local function secret_for(url)
  local secret, bridge = string.match(get("secret") or "", "^(%S+) (%S+)$")
  return bridge == url and secret or nil
end

local function save_secret(secret, url)
  if not keys.save({ secret = secret .. " " .. url }) then return false end
  return get_setting("secret") == nil or save({ secret = secret .. " " .. url })
end

return {
  define = define,
  get = get,
  setting = setting,
  save = save,
  save_settings = save_settings,
  take_over = take_over,
  secret_for = secret_for,
  save_secret = save_secret,
  NAMES = NAMES,
  BOOT_FILE = BOOT_FILE,
}
