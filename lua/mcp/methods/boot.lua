--- The programs that start with this one.

local json = require("mcp.json")
local setup = require("mcp.setup")

local function describe(context)
  local programs, is_off = context.boot.list()
  local list = json.array()
  for index, program in ipairs(programs) do
    list[index] = {
      command = program.command,
      monitor = program.monitor,
      job = program.job and context.jobs.is_running(program.job) and program.job or nil,
    }
  end
  return { programs = list, off = is_off, autostart = setup.autostarts() }
end

return {
  ["boot-programs"] = {
    run = function(params, context)
      params = type(params) == "table" and params or {}
      local add, remove = params.add, params.remove
      if type(add) == "table" and type(add.command) == "string" then
        local kept = { command = add.command, monitor = add.monitor }
        kept.width, kept.height = add.width, add.height
        local ok, problem = context.boot.add(kept)
        if not ok then return nil, problem end
      end
      local removed
      if type(remove) == "string" then removed = context.boot.remove(remove) end
      local result = describe(context)
      result.removed = removed
      return result
    end,
  },
}
