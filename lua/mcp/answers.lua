local exec = require("mcp.exec")
local frames = require("mcp.frames")
local json = require("mcp.json")

local MAX_OUTPUT, SMALL_OUTPUT = 256 * 1024, 16 * 1024

local function with_output(job, result, limit)
  local buffer = job.captured and job.captured.buffer
  if not buffer then return result end
  local text = buffer.from(math.max(0, buffer.total - (limit or MAX_OUTPUT)))
  result = result or { returns = json.array() }
  result.kept = job.kept
  if #text < buffer.total then result.truncated = true end
  local gone = job.stream.gone()
  if gone > 0 then result.lost = gone end
  if job.captured.describe then job.captured.describe(result) end
  return frames.put_text(result, "output", text)
end

local function cancelled(job, limit)
  local reason = job.timed_out and "timed-out" or nil
  return frames.failure(job.id, "cancelled", with_output(job, nil, limit), reason)
end

--- @tparam table job `id`, `cancelled`, `timed_out`, `outcome` (what its coroutine ended with),
-- `co`, and optionally `captured` and `stream`
-- @treturn string the frame
-- @treturn string|nil a problem to show to the player
local function write(job)
  local ok, result, problem, partial = table.unpack(job.outcome, 1, 4)
  if job.cancelled then return cancelled(job) end
  if not ok then
    local message = job.captured and exec.explain_error(result, job.co) or tostring(result)
    return frames.failure(job.id, message, with_output(job)), message
  end
  if result == nil and problem ~= nil then
    local message = tostring(problem)
    return frames.failure(job.id, message, with_output(job, partial)), message
  end
  return frames.success(job.id, with_output(job, result))
end

--- After a failure to encode all of it.
local function cut_short(job)
  return cancelled(job, SMALL_OUTPUT)
end

local function too_large(job)
  local message = "the result is too large for this bridge: return less or write it to a file"
  return frames.failure(job.id, message, with_output(job, nil, SMALL_OUTPUT))
end

return { write = write, cut_short = cut_short, too_large = too_large }
