--- What the player learns about the link: on the screen, and by `mcp-computer status`.

local alarm = require("mcp.alarm")
local brief = require("mcp.brief")
local identity = require("mcp.identity")
local lock = require("mcp.lock")
local version = require("mcp.version")

local MAX_NOTICES, MAX_NAMED = 3, 3

local function plural(count, noun)
  return count .. " " .. noun .. (count == 1 and "" or "s")
end

local function new(parts)
  local screen, link, jobs = parts.screen, parts.link, parts.jobs
  local url = brief.public_url(parts.url)
  local title = "mcp-computer v" .. version.text() .. " connecting to " .. url
  --- Why there is no link, and since when.
  local failure, failed_at
  local due, code, server
  local over
  local offer
  local notices = {}
  local countdown = alarm.new()
  local self = {}

  local function state()
    if link.is_linked() then
      local old = link.protocol < 2 and " (older bridge: no live output, no jobs)" or ""
      return "linked" .. old
    end
    if code then return "linked, waiting for approval: code " .. code end
    if over then return "not linked: " .. over end
    if link.state == "stopped" then return "stopped" end
    if due and link.state == "waiting" then
      -- Fits a pocket computer's row.
      return string.format("no link, next try in %d s", math.max(0, math.ceil(due - os.clock())))
    end
    return "connecting"
  end

  local function activity()
    local names = jobs.running_methods()
    if #names == 0 then return nil end
    local text = table.concat(names, ", ", 1, math.min(#names, MAX_NAMED))
    if #names > MAX_NAMED then text = text .. " and " .. #names - MAX_NAMED .. " more" end
    return plural(#names, "job") .. " running: " .. text
  end

  local function problem()
    local last = jobs.last_error
    if not last then return nil end
    local first_line = brief.one_line(string.match(last.text, "^[^\n]*"))
    return "last problem at " .. last.time .. ": " .. first_line
  end

  local function reconnects()
    return link.links > 1 and ", " .. plural(link.links - 1, "reconnect") or ""
  end

  --- The lines about a failure: what it is, and what to do.
  local function explained(given)
    local text, detail = given.text, given.detail
    if detail ~= "" and not string.find(text, detail, 1, true) then
      text = text .. " (" .. detail .. ")"
    end
    local lines = { { text, "error" } }
    for _, line in ipairs(given.remedy) do
      lines[#lines + 1] = { line, string.sub(line, 1, 2) == "  " and "code" or nil }
    end
    return lines
  end

  local function content()
    local lines = { { title } }
    local function add(text, style)
      if text then lines[#lines + 1] = { text, style } end
    end
    if link.is_linked() then
      add("linked as " .. brief.one_line(identity.describe()), "good")
      add(activity() or "waiting for requests... Press Ctrl+T to stop.", activity() and "code")
      add("Anyone who controls that bridge controls this computer.", "hint")
    end
    add(lock.describe(), "code")
    add(server)
    for _, text in ipairs(notices) do
      add(text)
    end
    if code then
      add("linked, waiting for approval: code")
      add("  " .. code, "code")
      add("The bridge's owner approves it once: in the dashboard, in the chat, or with")
      add("  ccbridge pair " .. code, "code")
    end
    if failure then
      for _, line in ipairs(explained(failure)) do
        lines[#lines + 1] = line
      end
    end
    if over and jobs.has_programs() then
      add("Its programs run on. Press Ctrl+T to stop.", "hint")
    end
    add(problem(), "error")
    if offer and link.state ~= "stopped" then
      add("This bridge has v" .. offer .. ". Press U to update this program.", "code")
    end
    if not code then
      local text = state() .. reconnects()
      local is_down = failed_at and (over or link.state ~= "stopped")
      local since = is_down and " (since " .. failed_at .. ")" or ""
      if #text + #since <= term.getSize() then text = text .. since end
      -- The greeting says that it is linked.
      if text ~= "linked" then add(text, link.is_linked() and "good" or "hint") end
    end
    return lines
  end

  function self.refresh()
    if screen.is_silent then
      parts.prompt.status(brief.one_line(state()))
    else
      screen.show(content())
    end
    -- The seconds until the next try are shown as they pass.
    local counts = due
      and link.state == "waiting"
      and (not screen.is_silent or parts.prompt.shared())
    if not counts then
      countdown.clear()
    elseif not countdown.is_set() then
      countdown.set(1)
    end
  end

  function self.timer(id)
    return countdown.take(id)
  end

  function self.look()
    if countdown.rang() then self.refresh() end
  end

  function self.fault(text)
    jobs.last_error = { text = tostring(text), time = brief.time() }
  end

  function self.notice(text)
    text = brief.one_line(text)
    for index = #notices, 1, -1 do
      if notices[index] == text then table.remove(notices, index) end
    end
    notices[#notices + 1] = text
    if #notices > MAX_NOTICES then table.remove(notices, 1) end
    self.refresh()
  end

  function self.pairing(shown)
    code, failure, due = brief.one_line(shown), nil, nil
    self.refresh()
  end

  function self.paired(saved)
    code = nil
    if not saved then self.notice("The approval cannot be kept: the disk is full.") end
  end

  function self.server(text)
    server = brief.one_line(text)
    self.refresh()
  end

  function self.offer(newer)
    offer = newer
  end

  function self.offered()
    return offer
  end

  function self.linked()
    due, code, failure, failed_at = nil, nil, nil, nil
    self.refresh()
  end

  --- @tparam table given see mcp.explain
  -- @tparam number|nil pause seconds until the next try; nil when there is none
  function self.lost(given, pause)
    due, code = pause and os.clock() + pause, nil
    failed_at = failed_at or brief.time()
    failure = given
    if not pause then
      over = given.text
      -- At the prompt the player must learn that it is over; a shared one has a bar for that.
      if screen.is_silent and not parts.prompt.program() then
        local lines = explained(given)
        local what = jobs.has_programs() and "is not linked:" or "stopped:"
        table.insert(lines, 1, { "mcp-computer " .. what, "error" })
        screen.last_words(lines)
      end
    end
    self.refresh()
  end

  function self.text()
    local lines = {
      "linked to " .. url .. " as " .. identity.describe(),
      plural(jobs.running(), "job")
        .. " running, "
        .. plural(math.max(0, link.links - 1), "reconnect"),
    }
    if not link.is_linked() then lines[1] = url .. ": " .. state() end
    local function add(text)
      if text then lines[#lines + 1] = text end
    end
    add(server)
    add(lock.describe())
    add(failure and failure.text)
    add(problem())
    add(offer and "This bridge has v" .. offer .. ": mcp-computer update")
    return table.concat(lines, "\n")
  end

  return self
end

return { new = new }
