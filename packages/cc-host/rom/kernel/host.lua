-- Calls into the host. Results are tagged: true = plain values, "literal" = Lua source of the
-- values, false = an error with the caller's position, nil = an error without.
local k = ...
local raw, load, error, setmetatable = k.raw, load, error, setmetatable

local literal_env = { math = { huge = math.huge } }

local function make_finish(level)
  return function(tag, ...)
    if tag == true then return ... end
    if tag == "literal" then return load((...), "=host", "t", literal_env)() end
    error((...), tag == false and level or 0)
  end
end

local finish, finish_outside = make_finish(2), make_finish(3)

local function fn(name, outside)
  local _, id = raw(nil, name)
  if not id then error("no host function " .. name, 2) end
  local done = outside and finish_outside or finish
  return function(...)
    return done(raw(id, ...))
  end
end

local function group(prefix)
  return setmetatable({}, {
    __index = function(self, name)
      local bound = fn(prefix .. "." .. name)
      self[name] = bound
      return bound
    end,
  })
end

local function reference(collected, id)
  return setmetatable({ id = id }, {
    __gc = function()
      collected(id)
    end,
  })
end

k.host = {
  reference = reference,
  fn = fn,
  group = group,
  literal_env = literal_env,
  load_literal = function(text)
    return load(text, "=host", "t", literal_env)()
  end,
}
