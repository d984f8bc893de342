local action, name = ...
if action == "set" and name then
  os.setComputerLabel(name)
elseif action == "clear" then
  os.setComputerLabel(nil)
elseif action == nil or action == "get" then
  local label = os.getComputerLabel()
  print(label and ('Computer label is "' .. label .. '"') or "No Computer label")
else
  print("Usage: label get | label set <text> | label clear")
end
