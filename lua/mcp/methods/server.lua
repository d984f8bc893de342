local charset = require("mcp.charset")
local json = require("mcp.json")
local keys = require("mcp.keys")

local MAX_COMMAND = 32000
local MAX_BLOCKS = 4096
local MAX_RADIUS = 16

--- Authenticates this computer as a server that the bridge's owner allowed. Suggested by the first
-- bridge, since this computer has no good random source.
local function secret(suggested)
  local kept = keys.get("server")
  if kept or type(suggested) ~= "string" or suggested == "" then return kept end
  return keys.save({ server = suggested }) and suggested or nil
end

local function describe(params, context)
  local server = context.server
  return {
    name = server.name,
    run = server.run,
    first = server.first,
    chat = server.hears_chat(),
    secret = secret(params.secret),
  }
end

local function notice(params, context)
  if type(params.text) == "string" then context.server.on_notice(params.text) end
  return {}
end

local function command(params)
  local line = type(params) == "table" and params.command
  if type(line) ~= "string" or #line > MAX_COMMAND then
    return nil, "server-command needs params.command, a string"
  end
  local ok, lines = commands.exec(line)
  local said = json.array()
  for index, text in ipairs(type(lines) == "table" and lines or {}) do
    said[index] = charset.to_text(tostring(text))
  end
  return { ok = ok == true, lines = said }
end

local function is_whole(value)
  return type(value) == "number" and value % 1 == 0 and math.abs(value) <= 30000000
end

--- Run-length encoded: east first, then south, then up.
local function blocks(params)
  local x, y, z, radius = params.x, params.y, params.z, params.radius
  if not (is_whole(x) and is_whole(y) and is_whole(z) and is_whole(radius)) then
    return nil, "server-blocks needs params.x, y, z and radius as whole numbers"
  end
  if radius < 0 or radius > MAX_RADIUS then return nil, "the radius must be 0 to " .. MAX_RADIUS end
  local side = radius * 2 + 1
  local layers = math.max(1, math.floor(MAX_BLOCKS / (side * side)))
  local names, numbers, runs = json.array(), {}, json.array()
  local function add(name)
    if not numbers[name] then
      names[#names + 1] = name
      numbers[name] = #names - 1
    end
    local last = #runs
    if last > 0 and runs[last - 1] == numbers[name] then
      runs[last] = runs[last] + 1
    else
      runs[last + 1], runs[last + 2] = numbers[name], 1
    end
  end
  for bottom = y - radius, y + radius, layers do
    local top = math.min(bottom + layers - 1, y + radius)
    local args = { x - radius, bottom, z - radius, x + radius, top, z + radius, params.world }
    local infos = commands.getBlockInfos(table.unpack(args, 1, params.world and 7 or 6))
    for _, info in ipairs(infos) do
      add(info.name)
    end
  end
  return { names = names, runs = runs }
end

local function events(params, context)
  local list, next_seq = context.server.since(tonumber(params.from) or 0)
  return { events = json.array(list), next = next_seq }
end

local function of_server(run, at_once)
  return {
    inline = at_once,
    heartbeat = at_once,
    run = function(params, context)
      if not context.server then
        return nil, "this computer is not a server: mcp-computer --server <name>"
      end
      return run(type(params) == "table" and params or {}, context)
    end,
  }
end

return {
  ["server-describe"] = of_server(describe, true),
  ["server-command"] = of_server(command),
  ["server-blocks"] = of_server(blocks),
  ["server-events"] = of_server(events, true),
  ["server-notice"] = of_server(notice, true),
}
