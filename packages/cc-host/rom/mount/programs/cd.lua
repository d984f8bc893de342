local dir = ...
if not dir then
  print("Usage: cd <path>")
  return
end
local target = shell.resolve(dir)
if fs.isDir(target) then
  shell.setDir(target)
else
  print("Not a directory")
end
