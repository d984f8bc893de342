local explain = require("mcp.explain")
local identity = require("mcp.identity")

local function plural(count, noun)
  return count .. " " .. noun .. (count == 1 and "" or "s")
end

local function new(parts)
  local screen, link, jobs = parts.screen, parts.link, parts.jobs
  local url = explain.public_url(parts.url)
  local problem, waiting, code, server
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

  function self.refresh()
    local line = { state() }
    local running = jobs.running()
    if running > 0 then line[#line + 1] = plural(running, "job") .. " running" end
    if link.links > 1 then line[#line + 1] = plural(link.links - 1, "reconnect") end
    local last = problem or jobs.last_error
    local first_line = last and string.match(last, "^[^\n]*")
    screen.status(table.concat(line, ", "), first_line and "last error: " .. first_line)
  end

  function self.fault(text)
    problem = explain.one_line(text)
  end

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

  function self.lost(failure, pause)
    waiting, code = pause, nil
    problem = failure.detail ~= "" and failure.detail or failure.text
    if not pause and parts.prompt.program() then
      over = failure.text
      return self.refresh()
    end
    -- A restarting bridge needs no explanation.
    if not pause or failure.kind ~= "closed" or link.links == 0 then screen.failure(failure) end
    if pause then self.refresh() end
  end

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
