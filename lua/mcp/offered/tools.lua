local folder_module = require("mcp.offered.folder")
local frames = require("mcp.frames")
local json = require("mcp.json")

local MAX_TOOLS = 64
local EVENT = require("mcp.running").EVENT

local function new(options)
  local registered, count = {}, 0
  local started, changed = false, false
  local sent_before = false
  local shown = {}
  local folder = folder_module.new(options.scheduler, function()
    changed = true
  end)
  local self = {}

  local function describe()
    local tools, broken, problems = {}, json.array(), {}
    for _, tool in pairs(registered) do
      tools[#tools + 1] = tool
    end
    folder.each(function(name, entry, path)
      if entry.tool and not registered[name] then tools[#tools + 1] = entry.tool end
      if entry.problem then
        broken[#broken + 1] = { file = path, problem = string.sub(entry.problem, 1, 1000) }
        problems[path] = entry.problem
      end
    end)
    table.sort(tools, function(a, b)
      return a.name < b.name
    end)
    table.sort(broken, function(a, b)
      return a.file < b.file
    end)
    local offers = json.array()
    for index = 1, math.min(#tools, MAX_TOOLS) do
      offers[index] = tools[index].offer
    end
    return offers, broken, problems
  end

  local function send()
    local offers, broken, problems = describe()
    for file, problem in pairs(problems) do
      if shown[file] ~= problem then options.on_broken(file, problem) end
    end
    shown = problems
    if not options.link.offers_jobs() then return end
    if not sent_before and #offers == 0 and #broken == 0 then return end
    sent_before = true
    options.link.send(frames.tools(offers, broken))
  end

  local api = {}

  function api.tool(given)
    local name = type(given) == "table" and given.name
    local tool, problem = require("mcp.offered.definition").read(name, given)
    if not tool then error("mcp.tool: " .. problem, 2) end
    if not registered[name] then
      if count >= MAX_TOOLS then error("mcp.tool: at most " .. MAX_TOOLS .. " tools", 2) end
      count = count + 1
    end
    registered[name], changed = tool, true
    os.queueEvent(EVENT, "tools")
  end

  function api.remove(name)
    if not registered[name] then return false end
    registered[name], changed, count = nil, true, count - 1
    os.queueEvent(EVENT, "tools")
    return true
  end

  function self.start()
    started = true
    if rawget(_G, "mcp") == nil then rawset(_G, "mcp", api) end
    folder.scan()
  end

  function self.stop()
    if rawget(_G, "mcp") == api then rawset(_G, "mcp", nil) end
    folder.stop()
  end

  function self.find(name)
    return registered[name] or folder.find(name)
  end

  --- After `hello-ok`: resend everything.
  function self.linked()
    sent_before, changed = false, true
  end

  self.soon = folder.soon

  function self.look()
    if not started then return end
    folder.look()
    if not changed then return end
    changed = false
    send()
  end

  self.timer = folder.timer

  return self
end

return { new = new }
