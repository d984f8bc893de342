if not shell.openTab then
  printError("Requires multishell")
  return
end
local tab = shell.openTab(table.concat({ ... }, " "))
if tab then shell.switchTab(tab) end
