local function usage()
  local name = fs.getName(shell.getRunningProgram()):gsub("%.lua$", "")
  print("Usages:")
  print(name .. " <url> [filename]")
  print(name .. " run <url> [args...]")
end

local arguments = { ... }
local run = arguments[1] == "run"
if run then table.remove(arguments, 1) end
local url = table.remove(arguments, 1)
if not url then
  usage()
  return
end
if not http then
  printError("wget requires the http API, but it is not enabled")
  printError("Set http.enabled to true in CC: Tweaked's server config")
  return
end

local prints_reasons = (function()
  local major, minor, patch = _HOST:match("ComputerCraft (%d+)%.(%d+)%.?(%d*)")
  return tonumber(major) * 1e6 + tonumber(minor) * 1e3 + (tonumber(patch) or 0) >= 1114003
end)()

local function file_name(address)
  local path = address:gsub("[#?].*", ""):gsub("/+$", "")
  return path:match("/([^/]+)$")
end

local function get(address)
  local ok, err = http.checkURL(address)
  if not ok then
    printError(err or "Invalid URL.")
    return
  end
  write("Connecting to " .. address .. "... ")
  local response, reason = http.get({ url = address, binary = true })
  if not response then
    print(prints_reasons and "" or "Failed.")
    if prints_reasons then printError(reason) end
    return
  end
  print("Success.")
  local text = response.readAll()
  response.close()
  return text or ""
end

if run then
  local text = get(url)
  if not text then return end
  local chunk, err = load(text, file_name(url), "t", _ENV)
  if not chunk then
    printError(err)
    return
  end
  local ok, failure = pcall(chunk, table.unpack(arguments))
  if not ok then printError(failure) end
  return
end

local name = arguments[1] or file_name(url) or url
local path = shell.resolve(name)
if fs.exists(path) then
  print("File already exists")
  return
end
local text = get(url)
if not text then return end
local file, err = fs.open(path, "wb")
if not file then
  printError("Cannot save file: " .. err)
  return
end
file.write(text)
file.close()
print("Downloaded as " .. name)
