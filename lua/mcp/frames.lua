local charset = require("mcp.charset")
local identity = require("mcp.identity")
local json = require("mcp.json")
local protocol = require("mcp.protocol")
local version = require("mcp.version")

--- The first frame. A bridge of version 1 reads the id and the label and ignores the rest.
-- @tparam table link `token`, `secret`, `world`, `methods`, `jobs`, `run`, `programs`, `allow` (the
-- player's lock), `keeps` (whether something was kept before this link)
local function hello(link)
  local features = { table.unpack(protocol.FEATURES) }
  if link.keeps then features[#features + 1] = "kept-files" end
  return json.encode({
    type = "hello",
    computerId = os.getComputerID(),
    computerLabel = identity.label() or json.null,
    protocol = protocol.VERSION,
    agent = { name = "mcp-computer", version = version.OWN },
    kind = identity.kind(),
    advanced = identity.is_advanced(),
    host = type(_HOST) == "string" and _HOST or nil,
    instance = identity.instance(),
    world = link.world,
    methods = json.array(link.methods),
    features = json.array(features),
    token = link.token,
    secret = link.secret,
    maxFrame = protocol.MAX_FRAME,
    jobs = json.array(link.jobs),
    run = link.run,
    programs = json.array(link.programs),
    allow = link.allow,
  })
end

--- Sets `name`, and `encoding` when the text is not UTF-8.
local function put_text(owner, name, text)
  if json.is_utf8(text) then
    owner[name] = text
  else
    owner[name], owner.encoding = require("mcp.base64").encode(text), "base64"
  end
  return owner
end

--- @tparam number|nil paused for how many milliseconds the world has stood still
local function success(id, result, paused)
  return json.encode({
    type = "response",
    id = id,
    ok = true,
    result = result,
    pausedMs = paused and paused > 0 and paused or nil,
  })
end

local function failure(id, message, result, reason)
  return json.encode({
    type = "response",
    id = id,
    ok = false,
    error = json.is_utf8(message) and message or (string.gsub(message, "[\128-\255]", "?")),
    reason = reason,
    result = result,
  })
end

local function output(id, seq, text)
  return json.encode(put_text({ type = "output", id = id, seq = seq }, "text", text))
end

local function progress(id, described)
  return json.encode({
    type = "progress",
    id = id,
    progress = described.progress,
    total = described.total,
    message = described.message and charset.to_text(described.message),
  })
end

local function tools(offers, broken)
  return json.encode({ type = "tools", tools = offers, broken = broken })
end

local function screen(job, fields)
  fields.type, fields.job = "screen", job
  return json.encode(fields)
end

local function event(described)
  return json.encode(described)
end

return {
  hello = hello,
  success = success,
  failure = failure,
  output = output,
  progress = progress,
  tools = tools,
  screen = screen,
  array = json.array,
  event = event,
  put_text = put_text,
}
