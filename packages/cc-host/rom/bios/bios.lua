-- The first program: prepares the globals, loads the APIs, runs the shell, and shuts down when that
local k = ...
local expect = k.load_file("mount/modules/main/cc/expect.lua")().expect

for _, name in ipairs({ "events", "text", "files" }) do
  k.load_file("bios/" .. name .. ".lua")(expect, k)
end

local function load_api(path, name)
  local env = setmetatable({}, { __index = _G })
  local api = k.load_file("mount/apis/" .. path)
  setfenv(api, env)
  api(k)
  local exported = {}
  for key, value in pairs(env) do
    exported[key] = value
  end
  _G[name] = exported
end

for _, name in ipairs({
  "colors",
  "keys",
  "term",
  "window",
  "textutils",
  "parallel",
  "peripheral",
  "settings",
  "rednet",
  "gps",
  "disk",
  "paintutils",
  "io",
}) do
  load_api(name .. ".lua", name)
end
colours = setmetatable({}, { __index = colors })
for key, value in pairs(colors) do
  colours[key] = value
end
colours.grey, colours.lightGrey = colors.gray, colors.lightGray
if http then load_api("http/http.lua", "http") end
if turtle then load_api("turtle/turtle.lua", "turtle") end
if commands then k.load_file("mount/apis/command/commands.lua")() end

k.load_file("bios/settings.lua")(k)

local function run_shell()
  local program = "rom/programs/shell.lua"
  if term.isColour() and settings.get("bios.use_multishell") then
    program = "rom/programs/advanced/multishell.lua"
  end
  os.run({}, program)
  os.run({}, "rom/programs/shutdown.lua")
end

local ok, err = pcall(parallel.waitForAny, run_shell, function()
  rednet.run()
end)
term.redirect(term.native())
if not ok then
  printError(err)
  pcall(function()
    term.setCursorBlink(false)
    print("Press any key to continue")
    os.pullEvent("key")
  end)
end
os.shutdown()
