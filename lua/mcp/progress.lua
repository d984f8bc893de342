--- A job's reported progress, throttled to the newest state.

local clock = require("mcp.clock")
local frames = require("mcp.frames")

local PAUSE = 0.25

local function new(id, link)
  local newest, sent_at
  local self = {}

  --- Only stored: the code may stop anywhere.
  function self.tell(described)
    newest = described
  end

  function self.due()
    if not newest or not link.offers_jobs() then return nil end
    if not sent_at then return 0 end
    return math.max(0, PAUSE - (clock.seconds() - sent_at))
  end

  function self.send()
    if not newest or not link.offers_jobs() then return end
    local described = newest
    newest, sent_at = nil, clock.seconds()
    link.send(frames.progress(id, described))
  end

  return self
end

return { new = new }
