if select("#", ...) > 0 then
  print("This is an interactive Lua prompt.")
  return
end
local running = true
local env = setmetatable({
  exit = setmetatable({}, {
    __tostring = function()
      return "Call exit() to exit."
    end,
    __call = function()
      running = false
    end,
  }),
  _echo = function(...)
    return ...
  end,
}, { __index = _ENV })

print("Interactive Lua prompt.")
print("Call exit() to exit.")
local history = {}

local function show(value)
  if type(value) == "table" then
    local ok, text = pcall(textutils.serialize, value)
    if ok then return text end
  end
  return tostring(value)
end

while running do
  write("lua> ")
  local line = read(nil, history)
  if line:match("%S") then history[#history + 1] = line end
  local chunk, err = load("return " .. line, "=lua", "t", env)
  if not chunk then
    chunk, err = load(line, "=lua", "t", env)
  end
  if not chunk then
    printError(err)
  else
    local results = table.pack(pcall(chunk))
    if results[1] then
      for i = 2, results.n do
        print(show(results[i]))
      end
    else
      printError(results[2])
    end
  end
end
