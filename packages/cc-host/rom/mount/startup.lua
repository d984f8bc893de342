local path = ".:/rom/programs:/rom/programs/http"
if term.isColour() then path = path .. ":/rom/programs/advanced" end
shell.setPath(path)

shell.setAlias("dir", "ls")
shell.setAlias("list", "ls")
shell.setAlias("delete", "rm")
shell.setAlias("sh", "shell")
if term.isColour() then
  shell.setAlias("background", "bg")
  shell.setAlias("foreground", "fg")
end

for _, name in ipairs(fs.list("/rom/autorun")) do
  local file = "/rom/autorun/" .. name
  if not fs.isDir(file) and name:sub(1, 1) ~= "." then shell.run(file) end
end

local function startups(base)
  local found = {}
  local file = fs.combine(base, "startup")
  if fs.exists(file) and not fs.isDir(file) then
    found[1] = "/" .. file
  elseif fs.exists(file .. ".lua") and not fs.isDir(file .. ".lua") then
    found[1] = "/" .. file .. ".lua"
  end
  if fs.isDir(file) then
    local names = fs.list(file)
    table.sort(names)
    for _, name in ipairs(names) do
      local path_in_dir = fs.combine(file, name)
      if not fs.isDir(path_in_dir) then found[#found + 1] = "/" .. path_in_dir end
    end
  end
  return found
end

local files = {}
if settings.get("shell.allow_startup") then files = startups("/") end
if settings.get("shell.allow_disk_startup") then
  for _, name in pairs(peripheral.getNames()) do
    if disk.isPresent(name) and disk.hasData(name) then
      local on_disk = startups(disk.getMountPath(name))
      if #on_disk > 0 then
        files = on_disk
        break
      end
    end
  end
end
for _, file in ipairs(files) do
  shell.run(file)
end
