--- What the words of the command line mean.

local commands = {
  ["--help"] = "help",
  ["-help"] = "help",
  help = "help",
  ["--version"] = "version",
  ["-version"] = "version",
  version = "version",
  status = "status",
  stop = "stop",
  update = "update",
  unshare = "unshare",
  ["--uninstall"] = "uninstall",
  -- For the installer, which puts what it was given into the settings.
  ["--remember"] = "remember",
}

--- Options that take a value, and those that do not.
local valued = { ["-url"] = "url", ["--url"] = "url", ["--token"] = "token", ["--world"] = "world" }
valued["--server"] = "server"
local flags = {
  ["--once"] = "once",
  ["--background"] = "background",
  ["--share"] = "share",
  share = "share",
  ["--autostart"] = "autostart",
  ["--no-autostart"] = "no_autostart",
  -- For the boot entry: the old program runs the new one on trial (see mcp.update).
  ["--trial"] = "trial",
}

--- What another start of the program does not repeat.
local ONCE = { autostart = true, no_autostart = true, trial = true }

local OFFERED = {
  "status",
  "stop",
  "update",
  "share",
  "unshare",
  "help",
  "--token",
  "--world",
  "--server",
  "--once",
  "--autostart",
  "--no-autostart",
  "--uninstall",
  "--version",
}

--- Whether a word looks like an address: a host alone has a dot, or is this machine.
local function is_address(word)
  return string.find(word, "[.:/]") ~= nil or word == "localhost"
end

local function parse(arguments)
  local parsed, index = {}, 1
  while index <= #arguments do
    local word = arguments[index]
    if commands[word] and not parsed.command then
      parsed.command = commands[word]
    elseif valued[word] then
      index = index + 1
      if not arguments[index] then return nil, word .. " needs a value" end
      parsed[valued[word]] = arguments[index]
    elseif flags[word] then
      parsed[flags[word]] = true
    elseif string.sub(word, 1, 1) == "-" then
      return nil, require("mcp.words").unknown("option", word)
    elseif not is_address(word) then
      return nil, require("mcp.words").unknown("word", word)
    elseif parsed.url then
      return nil, "more than one URL"
    else
      parsed.url = word
    end
    index = index + 1
  end
  return parsed
end

--- The arguments for another start of the same program: what was only to be done once is left out.
-- @tparam boolean|nil without_bridge leave out the address and the token too
local function again(arguments, without_bridge)
  local list, index = {}, 1
  while index <= #arguments do
    local word = arguments[index]
    local name = valued[word] or flags[word] or "url"
    local last = valued[word] and index + 1 or index
    local is_bridge = without_bridge and (name == "url" or name == "token")
    if not is_bridge and not ONCE[name] then
      for each = index, last do
        list[#list + 1] = arguments[each]
      end
    end
    index = last + 1
  end
  return list
end

local function complete(_, _, text)
  local rests = {}
  for _, word in ipairs(OFFERED) do
    if #word > #text and string.sub(word, 1, #text) == text then
      rests[#rests + 1] = string.sub(word, #text + 1)
    end
  end
  return rests
end

local function normalize_url(text)
  local url = string.gsub(text, "#.*$", "")
  url = string.gsub(url, "^http(s?)://", "ws%1://")
  if not string.find(url, "^%w+://") then url = "ws://" .. url end
  return url
end

return {
  parse = parse,
  again = again,
  complete = complete,
  normalize_url = normalize_url,
  OFFERED = OFFERED,
}
