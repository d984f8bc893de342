local dir = shell.resolve((...) or ".")
if not fs.isDir(dir) then
  printError("Not a directory")
  return
end
local hidden = settings.get("list.show_hidden")
local shown = {}
for _, name in ipairs(fs.list(dir)) do
  if hidden or name:sub(1, 1) ~= "." then shown[#shown + 1] = name end
end
print(table.concat(shown, "  "))
