--- What the player is told about the link: on the screen, and by `mcp-computer status`.

local explain = require("mcp.explain")
local identity = require("mcp.identity")

local function plural(count, noun)
  return count .. " " .. noun .. (count == 1 and "" or "s")
end

--- @tparam table parts `screen` (mcp.screen), `link` (mcp.link), `jobs` (mcp.jobs), `prompt`
-- (mcp.mirror.prompt), `url`
local function new(parts)
  local screen, link, jobs = parts.screen, parts.link, parts.jobs
  local url = explain.public_url(parts.url)
  local problem, waiting, code, server
  --- Why there will be no further link.
  local over
  local self = {}

  local function state()
    if link.is_linked() then
      local old = link.protocol < 2 and " (older bridge: no live output, no jobs)" or ""
      return "linked" .. old
    end
    if code then return "linked, waiting for approval: code " .. code end
    if over then return "not linked: " .. over end
    if waiting then return string.format("not linked, next try in %d s", math.ceil(waiting)) end
    return "connecting"
  end

  --- Brings the lines on the screen up to date.
  function self.refresh()
    local line = { state() }
    local running = jobs.running()
    if running > 0 then line[#line + 1] = plural(running, "job") .. " running" end
    if link.links > 1 then line[#line + 1] = plural(link.links - 1, "reconnect") end
    local last = problem or jobs.last_error
    local first_line = last and string.match(last, "^[^\n]*")
    screen.status(table.concat(line, ", "), first_line and "last error: " .. first_line)
  end

  --- Notes something that went wrong inside of this program.
  function self.fault(text)
    problem = explain.one_line(text)
  end

  --- The owner of the bridge must approve this computer.
  function self.pairing(shown)
    code = explain.one_line(shown)
    screen.print(
      "linked, waiting for approval: code",
      "  " .. code,
      "The bridge's owner approves it once: in the dashboard, in the chat, or with",
      "  ccbridge pair " .. code
    )
    self.refresh()
  end

  function self.paired(saved)
    code = nil
    screen.print(saved and "approved" or "The approval cannot be kept: the disk is full.")
  end

  --- What the bridge says about the Minecraft server that this computer offers.
  function self.server(text)
    text = explain.one_line(text)
    if text ~= server then screen.print(text) end
    server = text
  end

  function self.linked()
    waiting, code = nil, nil
    screen.recovered()
    if link.links > 1 then return end
    screen.print(
      "linked as " .. explain.one_line(identity.describe()),
      "waiting for requests... Press Ctrl+T to stop.",
      "Anyone who controls that bridge controls this computer."
    )
  end

  --- @tparam table failure see mcp.explain
  -- @tparam number|nil pause seconds until the next try; nil when there is none
  function self.lost(failure, pause)
    waiting, code = pause, nil
    problem = failure.detail ~= "" and failure.detail or failure.text
    if not pause and parts.prompt.program() then
      -- What is on the screen is the player's.
      over = failure.text
      return self.refresh()
    end
    -- A bridge that restarts is nothing to explain.
    if not pause or failure.kind ~= "closed" or link.links == 0 then screen.failure(failure) end
    if pause then self.refresh() end
  end

  --- What `mcp-computer status` prints.
  function self.text()
    local lines = {
      "linked to " .. url .. " as " .. identity.describe(),
      plural(jobs.running(), "job")
        .. " running, "
        .. plural(math.max(0, link.links - 1), "reconnect"),
    }
    if not link.is_linked() then lines[1] = url .. ": " .. state() end
    if server then lines[#lines + 1] = server end
    if problem then lines[#lines + 1] = "last error: " .. problem end
    return table.concat(lines, "\n")
  end

  return self
end

return { new = new }
