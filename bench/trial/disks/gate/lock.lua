-- The door lock: whoever types the code gets in.
local CODE = "2580"
local DOOR = "right"
local OPEN_SECONDS = 3

local function ask()
  term.clear()
  term.setCursor(1, 1)
  write("Code: ")
  return read("*")
end

local function letIn()
  redstone.setOutput(DOOR, true)
  print("Welcome!")
  os.wait(OPEN_SECONDS)
  redstone.setOutput(DOOR, false)
end

while true do
  local code = tonumber(ask())
  if code == CODE then
    letIn()
  else
    print("Wrong code.")
    sleep(1)
  end
end
