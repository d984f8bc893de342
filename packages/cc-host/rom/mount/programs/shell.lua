local make_package = dofile("rom/modules/main/cc/require.lua").make
local expect = dofile("rom/modules/main/cc/expect.lua").expect
local multishell = multishell
local parent = shell
local shell = {}

local current_dir = parent and parent.dir() or ""
local search_path = parent and parent.path() or ".:/rom/programs"
local aliases = parent and parent.aliases() or {}
local completions = parent and parent.getCompletionInfo() or {}
local running = {}
local exiting = false

function shell.exit()
  exiting = true
end
function shell.dir()
  return current_dir
end
function shell.setDir(dir)
  expect(1, dir, "string")
  if not fs.isDir(dir) then error("Not a directory", 2) end
  current_dir = fs.combine(dir)
end
function shell.path()
  return search_path
end
function shell.setPath(path)
  expect(1, path, "string")
  search_path = path
end

function shell.resolve(path)
  expect(1, path, "string")
  local first = path:sub(1, 1)
  if first == "/" or first == "\\" then return fs.combine("", path) end
  return fs.combine(current_dir, path)
end

local function existing_program(path)
  if fs.exists(path) and not fs.isDir(path) then return path end
  if fs.exists(path .. ".lua") and not fs.isDir(path .. ".lua") then return path .. ".lua" end
end

function shell.resolveProgram(command)
  expect(1, command, "string")
  command = aliases[command] or command
  if command:find("[/\\]") then return existing_program(shell.resolve(command)) end
  for dir in search_path:gmatch("[^:]+") do
    local found = existing_program(fs.combine(shell.resolve(dir), command))
    if found then return found end
  end
end

function shell.programs(hidden)
  local seen, names = {}, {}
  for dir in search_path:gmatch("[^:]+") do
    dir = shell.resolve(dir)
    if fs.isDir(dir) then
      for _, name in ipairs(fs.list(dir)) do
        if not fs.isDir(fs.combine(dir, name)) and (hidden or name:sub(1, 1) ~= ".") then
          name = name:gsub("%.lua$", "")
          if not seen[name] then
            seen[name] = true
            names[#names + 1] = name
          end
        end
      end
    end
  end
  table.sort(names)
  return names
end

function shell.aliases()
  local copy = {}
  for name, target in pairs(aliases) do
    copy[name] = target
  end
  return copy
end
function shell.setAlias(name, target)
  aliases[name] = target
end
function shell.clearAlias(name)
  aliases[name] = nil
end
function shell.complete()
  return {}
end
function shell.completeProgram()
  return {}
end
function shell.setCompletionFunction(program, complete)
  completions[program] = { fnComplete = complete }
end
function shell.getCompletionInfo()
  return completions
end
function shell.getRunningProgram()
  return running[#running]
end

local function split(...)
  local line = table.concat({ ... }, " ")
  local words, quoted = {}, false
  for part in (line .. '"'):gmatch('(.-)"') do
    if quoted then
      words[#words + 1] = part
    else
      for word in part:gmatch("[^ \t]+") do
        words[#words + 1] = word
      end
    end
    quoted = not quoted
  end
  return words
end

local function program_env(path, arguments)
  local env = setmetatable({ shell = shell, multishell = multishell }, { __index = _G })
  env.require, env.package = make_package(env, fs.getDir(path))
  env.arg = arguments
  if settings.get("bios.strict_globals") then
    getmetatable(env).__newindex = function(_, name)
      error("Attempt to create global " .. tostring(name), 2)
    end
  end
  return env
end

local function show_title(path)
  if not multishell then return end
  multishell.setTitle(
    multishell.getCurrent(),
    path and (fs.getName(path):gsub("%.lua$", "")) or "shell"
  )
end

local function execute(path, command, ...)
  show_title(path)
  running[#running + 1] = path
  local env = program_env(path, { [0] = command, ... })
  local arguments = table.pack(...)
  local ok = false
  local chunk, err = loadfile(path, nil, env)
  if not chunk then
    printError(err)
  else
    local co = coroutine.create(chunk)
    local result = table.pack(coroutine.resume(co, table.unpack(arguments, 1, arguments.n)))
    while coroutine.status(co) ~= "dead" do
      result = table.pack(coroutine.resume(co, coroutine.yield(result[2])))
    end
    ok = result[1]
    if not ok and result[2] ~= nil and result[2] ~= "" then printError(result[2]) end
  end
  running[#running] = nil
  show_title(running[#running])
  return ok
end

function shell.execute(command, ...)
  expect(1, command, "string")
  for i = 1, select("#", ...) do
    expect(i + 1, (select(i, ...)), "string")
  end
  local path = shell.resolveProgram(command)
  if not path then
    printError("No such program")
    return false
  end
  return execute(path, command, ...)
end

function shell.run(...)
  local words = split(...)
  if not words[1] then return false end
  return shell.execute(table.unpack(words))
end

if multishell then
  function shell.openTab(...)
    local words = split(...)
    if not words[1] then return nil end
    local path = shell.resolveProgram(words[1])
    if not path then
      printError("No such program")
      return nil
    end
    if path == "rom/programs/shell.lua" then
      return multishell.launch({ shell = shell }, path, table.unpack(words, 2))
    end
    return multishell.launch({ shell = shell }, "rom/programs/shell.lua", table.unpack(words))
  end
  function shell.switchTab(id)
    expect(1, id, "number")
    multishell.setFocus(id)
  end
end

local arguments = { ... }
if #arguments > 0 then
  shell.run(table.unpack(arguments))
  return
end

local prompt_colour = term.isColour() and colors.yellow or colors.white

local function show_banner()
  term.setBackgroundColor(colors.black)
  term.setTextColour(prompt_colour)
  print(os.version())
  term.setTextColour(colors.white)
end

show_banner()
-- Only the outermost shell runs startup files.
if parent == nil then shell.run("/rom/startup.lua") end

local history = {}
while not exiting do
  term.setBackgroundColor(colors.black)
  term.setTextColour(prompt_colour)
  write(shell.dir() .. "> ")
  term.setTextColour(colors.white)
  local line = read(nil, history)
  if line:match("%S") and history[#history] ~= line then history[#history + 1] = line end
  shell.run(line)
end
