local native = _G.commands

local function word(value)
  if type(value) == "table" then return textutils.serializeJSON(value) end
  return tostring(value)
end

local function line(name, ...)
  local parts = { name }
  for i = 1, select("#", ...) do
    parts[#parts + 1] = word((select(i, ...)))
  end
  return table.concat(parts, " ")
end

local function by_name(run)
  return {
    __index = function(_, name)
      return function(...)
        return run(line(name, ...))
      end
    end,
  }
end

native.async = setmetatable({}, by_name(native.execAsync))
setmetatable(native, by_name(native.exec))
native.native = native
