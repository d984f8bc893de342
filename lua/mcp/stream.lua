--- The output of one job on its way to the bridge: in numbered pieces, from any of them on again.

local clock = require("mcp.clock")
local frames = require("mcp.frames")
local values = require("mcp.values")

--- Seconds between two `output` frames of a job.
local PAUSE = 0.25
--- With so much unsent it goes out at once, and with twice as much the job waits.
local ENOUGH = 32 * 1024
local TOO_MUCH = 2 * ENOUGH
--- Bytes of output in one frame; escapes make at most six of one.
local PIECE = 16 * 1024
--- Pieces whose place is remembered, to send them again when they did not arrive.
local MAX_MARKS = 4096

--- @tparam string id the job's
-- @tparam table buffer see mcp.output
local function new(id, buffer, link)
  local sent, seq, marks = 0, 0, {}
  --- Bytes that were gone before they could be sent.
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

  --- Whether nothing needs to be sent before the answer, which repeats the end of it.
  function self.is_complete()
    return unsent() == 0 or not link.offers_jobs() or (seq == 0 and unsent() < ENOUGH)
  end

  --- Whether this is not the time to print more: the link is up and cannot keep pace.
  function self.is_behind()
    return link.offers_jobs() and link.backlog() > TOO_MUCH
  end

  function self.wants_rest()
    return link.offers_jobs() and unsent() + link.backlog() > TOO_MUCH
  end

  --- Seconds until there is something to send; nil when there is nothing.
  function self.due()
    if unsent() == 0 or not link.offers_jobs() then return nil end
    if not sent_at or unsent() >= ENOUGH then return 0 end
    return math.max(0, PAUSE - (clock.seconds() - sent_at))
  end

  --- Sends the next piece of what is new. Nothing is lost while there is no link.
  -- @treturn number how many bytes that were
  function self.send()
    if unsent() == 0 or not link.offers_jobs() then return 0 end
    -- A few bytes more, so that it is cut between characters.
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

  --- Goes back to the first piece that the bridge has not got.
  function self.rewind(wanted)
    if wanted >= seq then return end
    local mark = marks[wanted] or { sent = 0, gone = 0 }
    sent, gone, seq = mark.sent, mark.gone, wanted
  end

  --- How many bytes the bridge never got and never will.
  function self.gone()
    return gone + buffer.lost(sent)
  end

  return self
end

return { new = new }
