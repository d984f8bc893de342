if shell.openTab then
  shell.openTab(table.concat({ ... }, " "))
else
  printError("Requires multishell")
end
