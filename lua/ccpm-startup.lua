--- Run at boot by the CCPM client, before other startup files: it must return.

if not settings.get("mcp_computer.url") or fs.exists("/startup/zz-mcp-computer.lua") then return end

local program = "/" .. fs.combine(fs.getDir(shell.getRunningProgram()), "mcp-computer.lua")
if multishell and shell.openTab then
  local tab = shell.openTab(program)
  if tab then multishell.setTitle(tab, "mcp") end
else
  print("To link at boot: " .. program .. " --autostart")
end
