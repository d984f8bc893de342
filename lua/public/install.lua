--- Installs mcp-computer from a bridge of yours:
--   wget run https://raw.githubusercontent.com/ccbridge/ccbridge/main/lua/public/install.lua [address]
-- The bridge serves the program, so that both fit together; this file only finds it. The options of the
-- bridge's own install.lua may follow the address.

local arguments = { ... }

local function fail(...)
  for _, line in ipairs({ ... }) do
    printError(line)
  end
  error("", 0)
end

--- What a player may type, as the address that serves install.lua: a host, a host with a port, or a URL that
-- the bridge printed. Nil if it is none of these.
local function address_of(text)
  text = string.gsub(string.gsub(text, "^%s+", ""), "%s+$", "")
  text = string.gsub(text, "^wget%s+run%s+", "")
  local scheme, rest = string.match(text, "^(%a+)://(.*)$")
  local token = string.match(rest or text, "%?token=([^&#]+)")
  rest = string.gsub(rest or text, "[?#].*$", "")
  rest = string.gsub(string.gsub(rest, "/install%.lua$", ""), "/+$", "")
  if not string.match(rest, "^[%w.:%-%[%]]+[%w./:%-_~]*$") then return nil end
  if scheme then
    local secure = { http = "http", https = "https", ws = "http", wss = "https" }
    scheme = secure[string.lower(scheme)]
    if not scheme then return nil end
    return scheme .. "://" .. rest, token
  end
  local has_port = string.match(rest, "%]:%d+") or string.match(rest, "^[^:/]+:%d+")
  if has_port or string.find(rest, "/", 1, true) then return "http://" .. rest, token end
  return "http://" .. rest .. ":3001", token
end

local function ask()
  print("Where is your bridge? It prints its address when it starts, such as 192.168.1.20:3001.")
  print("You have none yet? github.com/ccbridge/ccbridge")
  write("Address: ")
  return read() or ""
end

if not http then fail("The http API is switched off on this server.") end

local given = arguments[1]
if given and string.sub(given, 1, 2) ~= "--" then
  table.remove(arguments, 1)
else
  given = ask()
end
local address, token = address_of(given)
if not address then fail("That is not the address of a bridge: " .. given) end

local url = address .. "/install.lua" .. (token and "?token=" .. token or "")
local response, reason = http.get(url)
if not response then
  local advice = "Is the bridge running, and is the address right?"
  if string.find(tostring(reason), "Domain not permitted", 1, true) then
    advice =
      "Your server does not allow this address. Type the line with allow, which the bridge prints."
  end
  fail("Could not reach " .. address .. ": " .. tostring(reason), advice)
end
local text = response.readAll()
response.close()
local install = string.find(text, "mcp-computer", 1, true) and load(text, "=install.lua", "t", _ENV)
if not install then fail("What answers at " .. address .. " is not a bridge.") end
install(table.unpack(arguments))
