local type = type

local handle = {}
handle.__index = handle
handle.__name = "FILE*"

local function wrap(raw)
  return setmetatable({ raw = raw }, handle)
end

local function check(self)
  if self.closed then error("attempt to use a closed file", 3) end
end

function handle:close()
  check(self)
  if self.raw.close then
    self.closed = true
    self.raw.close()
    return true
  end
  return nil, "attempt to close standard stream"
end

function handle:flush()
  check(self)
  if self.raw.flush then self.raw.flush() end
  return true
end

local function read_number(raw)
  local line = raw.readLine()
  return line and tonumber(line)
end

function handle:read(...)
  check(self)
  local out = { n = math.max(1, select("#", ...)) }
  for i = 1, out.n do
    local format = select(i, ...)
    if format == nil then format = "l" end
    if type(format) == "number" then
      out[i] = self.raw.read(format)
    else
      local letter = format:gsub("^%*", ""):sub(1, 1)
      if letter == "l" then
        out[i] = self.raw.readLine()
      elseif letter == "L" then
        out[i] = self.raw.readLine(true)
      elseif letter == "a" then
        out[i] = self.raw.readAll() or ""
      elseif letter == "n" then
        out[i] = read_number(self.raw)
      else
        error("bad argument #" .. i .. " (invalid format)", 2)
      end
    end
    if out[i] == nil then break end
  end
  return table.unpack(out, 1, out.n)
end

function handle:write(...)
  check(self)
  if not self.raw.write then return nil, "file is not writable" end
  for i = 1, select("#", ...) do
    self.raw.write(tostring((select(i, ...))))
  end
  return self
end

function handle:seek(whence, offset)
  check(self)
  if not self.raw.seek then return nil, "file is not seekable" end
  return self.raw.seek(whence, offset)
end

function handle:lines(...)
  check(self)
  local formats = table.pack(...)
  return function()
    return self:read(table.unpack(formats, 1, formats.n))
  end
end

local function terminal_reader()
  return {
    readLine = function()
      return _G.read()
    end,
    readAll = function()
      return _G.read()
    end,
    read = function()
      return _G.read()
    end,
  }
end

stdin = wrap(terminal_reader())
stdout = wrap({
  write = function(text)
    _G.write(text)
  end,
})
stderr = wrap({
  write = function(text)
    local colour
    if term.isColour() then
      colour = term.getTextColour()
      term.setTextColour(colors.red)
    end
    _G.write(text)
    if colour then term.setTextColour(colour) end
  end,
})
local current_input, current_output = stdin, stdout

function open(path, mode)
  local raw, err = fs.open(path, (mode or "r"))
  if not raw then return nil, err end
  return wrap(raw)
end

function close(file)
  return (file or current_output):close()
end

function input(file)
  if type(file) == "string" then
    local opened, err = open(file, "r")
    if not opened then error(err, 2) end
    current_input = opened
  elseif file then
    current_input = file
  end
  return current_input
end

function output(file)
  if type(file) == "string" then
    local opened, err = open(file, "w")
    if not opened then error(err, 2) end
    current_output = opened
  elseif file then
    current_output = file
  end
  return current_output
end

function lines(path, ...)
  if path == nil then return current_input:lines(...) end
  local file, err = open(path, "r")
  if not file then error(err, 2) end
  local formats = table.pack(...)
  return function()
    if file.closed then return nil end
    local line = file:read(table.unpack(formats, 1, formats.n))
    if line == nil then file:close() end
    return line
  end
end

function read(...)
  return current_input:read(...)
end
function write(...)
  return current_output:write(...)
end

function _ENV.type(value)
  if type(value) == "table" and getmetatable(value) == handle then
    return value.closed and "closed file" or "file"
  end
  return nil
end
