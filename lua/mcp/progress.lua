--- The progress that a job's code reports: the newest, a few times a second.

local clock = require("mcp.clock")
local frames = require("mcp.frames")

--- Seconds between two frames of a job.
local PAUSE = 0.25

local function new(id, link)
  local newest, sent_at
  local self = {}

  --- Takes a word of the code; it goes out later, since code may stop anywhere.
  function self.tell(described)
    newest = described
  end

  --- Seconds until there is something to send; nil when there is nothing.
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
