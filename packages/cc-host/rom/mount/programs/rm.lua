local arguments = { ... }
if #arguments == 0 then
  print("Usage: rm <paths>")
  return
end
for _, argument in ipairs(arguments) do
  local path = shell.resolve(argument)
  if fs.exists(path) then
    local ok, err = pcall(fs.delete, path)
    if not ok then printError((err:gsub("^pcall: ", ""))) end
  else
    printError(argument .. ": No matching files")
  end
end
