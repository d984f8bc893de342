-- Counts what is in the chests.
local total = 0
for _, chest in ipairs({ peripheral.find("inventory") }) do
  for _, stack in pairs(chest.list()) do total = total + stack.count end
end
print(total .. " items")
