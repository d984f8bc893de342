--- Streams a job's output in numbered pieces; can resume from any of them.

local clock = require("mcp.clock")
local frames = require("mcp.frames")
local values = require("mcp.values")

local PAUSE = 0.25
--- Bytes unsent that are flushed at once; twice as much blocks the job.
local ENOUGH = 32 * 1024
local TOO_MUCH = 2 * ENOUGH
--- Bytes per frame; escaping multiplies them by at most six.
local PIECE = 16 * 1024
local MAX_MARKS = 4096

local function new(id, buffer, link)
  local sent, seq, marks = 0, 0, {}
  local gone = 0
  local sent_at
  local self = {}

  local function send_piece(text, length)
    marks[seq] = { sent = sent, gone = gone }
    marks[seq - MAX_MARKS] = nil
    link.send(frames.output(id, seq, text))
    if not link.is_linked() then return end
    sent, seq = sent + length, seq + 1
  end

  local function unsent()
    return buffer.total - sent
  end

  function self.is_complete()
    return unsent() == 0 or not link.offers_jobs() or (seq == 0 and unsent() < ENOUGH)
  end

  --- Backpressure: the link is up and cannot keep pace.
  function self.is_behind()
    return link.offers_jobs() and link.backlog() > TOO_MUCH
  end

  function self.wants_rest()
    return link.offers_jobs() and unsent() + link.backlog() > TOO_MUCH
  end

  function self.due()
    if unsent() == 0 or not link.offers_jobs() then return nil end
    if not sent_at or unsent() >= ENOUGH then return 0 end
    return math.max(0, PAUSE - (clock.seconds() - sent_at))
  end

  --- Without a link nothing is lost.
  -- @treturn number bytes sent
  function self.send()
    if unsent() == 0 or not link.offers_jobs() then return 0 end
    local text, lost = buffer.from(sent, PIECE + 4)
    sent_at = clock.seconds()
    if lost > 0 then
      send_piece("[... " .. lost .. " bytes are gone ...]\n", lost)
      gone = gone + lost
    end
    if #text > PIECE then text = values.cut(text, PIECE) end
    if text ~= "" and link.is_linked() then send_piece(text, #text) end
    return #text
  end

  function self.rewind(wanted)
    if wanted >= seq then return end
    local mark = marks[wanted] or { sent = 0, gone = 0 }
    sent, gone, seq = mark.sent, mark.gone, wanted
  end

  function self.gone()
    return gone + buffer.lost(sent)
  end

  return self
end

return { new = new }
