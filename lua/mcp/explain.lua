local brief = require("mcp.brief")
local protocol = require("mcp.protocol")

local CONFIG = "<world>/serverconfig/computercraft-server.toml"

local function parse_url(url)
  local scheme, authority = string.match(url, "^(%w+)://([^/?#]+)")
  if not scheme then return "ws", url, nil end
  local host, port = string.match(authority, "^(.-):(%d+)$")
  return scheme, host or authority, tonumber(port)
end

local function install_line(url)
  local scheme, host, port = parse_url(url)
  local http_scheme = scheme == "wss" and "https" or "http"
  return "wget run "
    .. http_scheme
    .. "://"
    .. host
    .. (port and ":" .. port or "")
    .. "/install.lua"
end

local function rule_lines(url)
  local _, host, port = parse_url(url)
  host = string.match(host, "^%[(.*)%]$") or host
  local lines = { "  [[http.rules]]", '  host = "' .. host .. '"' }
  if port then lines[#lines + 1] = "  port = " .. port end
  lines[#lines + 1] = '  action = "allow"'
  return lines
end

--- kind -> { text, remedy(url) -> lines, fatal?, slow? }. `slow`: retry at the longest pause.
local kinds = {
  ["no-http"] = {
    text = "The http API is switched off on this server.",
    fatal = true,
    remedy = function()
      return {
        "In " .. CONFIG .. ", section [http], set",
        "  enabled = true",
        "then reload the world or restart the server.",
      }
    end,
  },
  ["no-websocket"] = {
    text = "WebSockets are switched off on this server.",
    fatal = true,
    remedy = function()
      return {
        "In " .. CONFIG .. ", section [http], set",
        "  websocket_enabled = true",
        "and reboot this computer.",
      }
    end,
  },
  ["not-permitted"] = {
    text = "The server does not let computers reach this address (Domain not permitted).",
    remedy = function(url)
      local lines = {
        "On the machine that runs the world, type: ccbridge allow (the bridge shows the exact line).",
        "Or, ABOVE the rule for $private in " .. CONFIG .. ":",
      }
      for _, line in ipairs(rule_lines(url)) do
        lines[#lines + 1] = line
      end
      return lines
    end,
  },
  ["unknown-host"] = {
    text = "No such host.",
    remedy = function(url)
      local _, host = parse_url(url)
      return { "Check the name '" .. host .. "': the Minecraft server must be able to resolve it." }
    end,
  },
  ["bad-url"] = {
    text = "That is not a WebSocket address.",
    fatal = true,
    remedy = function()
      return { "It should look like ws://192.168.1.20:3001" }
    end,
  },
  refused = {
    text = "Nothing answers there.",
    remedy = function(url)
      local _, host, port = parse_url(url)
      return {
        "Is the bridge running, and does it listen on port "
          .. (port or 80)
          .. "? 'localhost' and 127.0.0.1 mean the Minecraft server. A firewall may block "
          .. host
          .. ".",
      }
    end,
  },
  timeout = {
    text = "No answer in time.",
    remedy = function(url)
      local _, host, port = parse_url(url)
      return {
        "Check the address " .. host .. ", and that no firewall drops port " .. (port or 80) .. ".",
      }
    end,
  },
  tls = {
    text = "The secure connection failed.",
    remedy = function()
      return { "The game accepts only certificates that Java trusts. On your own network use ws://" }
    end,
  },
  handshake = {
    text = "A web server answers there, but it is not a bridge.",
    remedy = function()
      return {
        "Use the link port of the bridge (3001 unless you changed it), not the MCP port (3000). "
          .. "A proxy in between must pass WebSockets on.",
      }
    end,
  },
  ["too-many-websockets"] = {
    text = "This computer has reached its limit of WebSockets.",
    remedy = function()
      return {
        "Close other programs that use WebSockets here, or raise http.max_websockets in " .. CONFIG,
      }
    end,
  },
  ["too-big"] = {
    text = "A message was larger than this server allows.",
    remedy = function()
      return { "Set max_websocket_message = 131072 or more for this host in " .. CONFIG }
    end,
  },
  unauthorized = {
    text = "The bridge refused the token.",
    fatal = true,
    remedy = function(url)
      return {
        "Ask for the bridge's link token and run",
        "  mcp-computer " .. url .. " --token <token>",
      }
    end,
  },
  pairing = {
    text = "This computer is not approved yet.",
    slow = true,
    remedy = function()
      return { "It asks again by itself, with a new code for the bridge's owner." }
    end,
  },
  ["secret-not-kept"] = {
    text = "The disk is full: this computer's secret could not be saved.",
    slow = true,
    remedy = function()
      return { "Delete something on this computer. It will then show a new code." }
    end,
  },
  replaced = {
    text = "Another program linked as this computer, so this one stops.",
    fatal = true,
    remedy = function()
      return { "Only one can be linked. See the other tabs, or type: mcp-computer status" }
    end,
  },
  version = {
    text = "The bridge did not understand the greeting: it is older or newer than this program.",
    slow = true,
    remedy = function(url)
      return { "Update the bridge, then run here:", "  " .. install_line(url) }
    end,
  },
  ["too-many-links"] = {
    text = "The bridge has reached its limit of computers.",
    slow = true,
    remedy = function()
      return { "Stop some, or raise the bridge's limit of links." }
    end,
  },
  ["no-hello-ok"] = {
    text = "Something answers there, but not as a bridge does.",
    remedy = function()
      return { "Is it a ccbridge link port? The bridge prints its address when it starts." }
    end,
  },
  policy = {
    text = "The bridge closed the link because of what this program sent.",
    slow = true,
    remedy = function(url)
      return { "Update both: the bridge, and this program with", "  " .. install_line(url) }
    end,
  },
  silent = {
    text = "The bridge was silent for three heartbeats.",
    remedy = function()
      return { "It may be down, or the network in between." }
    end,
  },
  closed = {
    text = "The link was closed.",
    remedy = function()
      return { "The bridge may be restarting." }
    end,
  },
  other = {
    text = "The link failed.",
    remedy = function()
      return { "Check the address and the bridge's log." }
    end,
  },
}

--- Error texts of the game and of CraftOS-PC -> kind. Plain search, first match.
local texts = {
  { "Websocket connections are disabled", "no-websocket" },
  { "Too many websockets", "too-many-websockets" },
  { "Domain not permitted", "not-permitted" },
  { "Unknown host", "unknown-host" },
  { "Host not found", "unknown-host" },
  { "URL malformed", "bad-url" },
  { "Invalid scheme", "bad-url" },
  { "Could not connect", "refused" },
  { "onnection refused", "refused" },
  { "Timed out", "timeout" },
  { "imeout", "timeout" },
  { "secure connection", "tls" },
  { "Invalid handshake response", "handshake" },
  { "Cannot upgrade to WebSocket", "handshake" },
  { "does not understand the WebSocket protocol", "handshake" },
  { "too large", "too-big" },
  { "Payload too big", "too-big" },
  { "no sign of life", "silent" },
  { "no hello-ok", "no-hello-ok" },
  { "cannot keep the secret", "secret-not-kept" },
  { "Connection closed", "closed" },
}

local CLOSE, HELLO_ERROR = protocol.CLOSE, protocol.HELLO_ERROR

local close_codes = {
  [CLOSE.going_away] = "closed",
  [CLOSE.binary] = "policy",
  [CLOSE.policy] = "policy",
  [CLOSE.too_big] = "too-big",
  [CLOSE.bad_hello] = "version",
  [CLOSE.unauthorized] = "unauthorized",
  [CLOSE.hello_timeout] = "closed",
  [CLOSE.replaced] = "replaced",
  [CLOSE.silent] = "silent",
  [CLOSE.too_many_links] = "too-many-links",
}

local hello_codes = {
  [HELLO_ERROR.bad_hello] = "version",
  [HELLO_ERROR.unauthorized] = "unauthorized",
  [HELLO_ERROR.pairing] = "pairing",
  [HELLO_ERROR.too_many_links] = "too-many-links",
  [HELLO_ERROR.shutting_down] = "closed",
}

local function kind_of(reason)
  if type(reason) == "table" then
    local known = hello_codes[reason.code] or close_codes[reason.close]
    if known then return known end
    -- CraftOS-PC uses code 1006 for everything that it closes itself; the text has the reason.
    local kind = kind_of(reason.message or "")
    return kind == "other" and reason.close and "closed" or kind
  end
  for _, pair in ipairs(texts) do
    if string.find(reason, pair[1], 1, true) then return pair[2] end
  end
  return "other"
end

--- Error texts of the game may contain the URL.
local function without_secrets(text, url)
  local public = brief.public_url(url)
  if public == url then return text end
  local pieces, from = {}, 1
  local at, stop = string.find(text, url, 1, true)
  while at do
    pieces[#pieces + 1] = string.sub(text, from, at - 1) .. public
    from = stop + 1
    at, stop = string.find(text, url, from, true)
  end
  return table.concat(pieces) .. string.sub(text, from)
end

local function build(kind, said, url)
  local entry = kinds[kind]
  return {
    kind = kind,
    text = entry.text,
    detail = brief.one_line(without_secrets(tostring(said), url)),
    remedy = entry.remedy(brief.public_url(url)),
    fatal = entry.fatal or false,
    slow = entry.slow or false,
  }
end

--- @param reason an error text, or `{ code?, close?, message? }` of a hello-error or a close frame
-- @treturn table `kind`, `text` (one line), `detail` (the original), `remedy` (lines), `fatal`,
-- `slow`
local function failure(reason, url)
  local said = type(reason) == "table" and (reason.message or reason.code or "") or reason
  return build(kind_of(reason), said, url)
end

--- For a server that switched off what a link needs.
local function unavailable()
  return build(http and "no-websocket" or "no-http", "", "")
end

return { failure = failure, unavailable = unavailable }
