--- The words of the command line for people: help, and what a mistyped one may have meant.

local arguments = require("mcp.arguments")

local USAGE = {
  "Usage:",
  "  mcp-computer <ws-url>",
  "  mcp-computer -url <ws-url>",
  "  mcp-computer --version",
  "  mcp-computer --help",
}

-- With the usage, as long as a screen of 19 lines and as wide as one of 51; others get it in pages.
local HELP = {
  "Links this computer to a ccbridge. Anyone who controls the bridge controls this computer.",
  "  --token <token>  the bridge's link token",
  "  --world <name>   a name for this world",
  "  --server <name>  offer this Minecraft server",
  "  --once           do not reconnect",
  "  --autostart, --no-autostart  at every boot",
  "  --uninstall      remove the program",
  "  status, stop     the running program",
  "  update           get the bridge's version",
  "  share, unshare   let the bridge see this prompt",
  "Without a URL it links to the one it remembers.",
}

--- How many letters must change to make one word of another.
local function distance(a, b)
  local row = {}
  for column = 0, #b do
    row[column] = column
  end
  for line = 1, #a do
    local corner = row[0]
    row[0] = line
    for column = 1, #b do
      local same = string.byte(a, line) == string.byte(b, column) and 0 or 1
      local best = math.min(row[column] + 1, row[column - 1] + 1, corner + same)
      corner, row[column] = row[column], best
    end
  end
  return row[#b]
end

local function unknown(what, word)
  local nearest, least = nil, 3
  for _, offered in ipairs(arguments.OFFERED) do
    local far = distance(word, offered)
    if far < least then
      nearest, least = offered, far
    end
  end
  local hint = nearest and ". Did you mean " .. nearest .. "?" or ""
  return "unknown " .. what .. " " .. string.sub(word, 1, 40) .. hint
end

return { unknown = unknown, USAGE = USAGE, HELP = HELP }
