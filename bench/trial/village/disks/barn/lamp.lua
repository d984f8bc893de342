-- Lets the lamp at the back blink.
local on = false
while true do
  on = not on
  redstone.setOutput("back", on)
  sleep(1)
end
