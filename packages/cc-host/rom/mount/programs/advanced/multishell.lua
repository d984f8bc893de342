local parent_term = term.current()
local width, height = parent_term.getSize()
local processes, focused, current = {}, nil, nil
local bar_shown, resized = false, false
local multishell = {}
local major, minor = _HOST:match("ComputerCraft (%d+)%.(%d+)")
local hides_window = tonumber(major) > 1 or tonumber(minor) >= 104

local focused_only = {
  char = true,
  key = true,
  key_up = true,
  paste = true,
  terminate = true,
  file_transfer = true,
  mouse_click = true,
  mouse_up = true,
  mouse_drag = true,
  mouse_scroll = true,
}

local function content_rows()
  if bar_shown then return 2, height - 1 end
  return 1, height
end

local function draw_bar()
  if not bar_shown then return end
  local old_x, old_y = parent_term.getCursorPos()
  parent_term.setCursorPos(1, 1)
  parent_term.setBackgroundColor(colors.gray)
  parent_term.clearLine()
  for index, process in ipairs(processes) do
    local selected = index == focused
    parent_term.setTextColour(selected and colors.yellow or colors.black)
    parent_term.setBackgroundColor(selected and colors.black or colors.gray)
    parent_term.write(" " .. process.title .. " ")
  end
  parent_term.setCursorPos(old_x, old_y)
  if focused and processes[focused] then processes[focused].window.restoreCursor() end
end

local hidden = {
  getLine = true,
  setVisible = true,
  isVisible = true,
  redraw = true,
  reposition = true,
  restoreCursor = true,
  getPosition = true,
}

local function public_terminal(window)
  if not hides_window then return window end
  local copy = {}
  for name, method in pairs(window) do
    if not hidden[name] then copy[name] = method end
  end
  return copy
end

local function select_process(index)
  if focused == index then return end
  if focused and processes[focused] then processes[focused].window.setVisible(false) end
  focused = index
  if focused then
    processes[focused].window.setVisible(true)
    processes[focused].was_focused = true
  end
end

local function resume_process(index, event, ...)
  local process = processes[index]
  if process.filter ~= nil and process.filter ~= event and event ~= "terminate" then return end
  local previous = current
  current = index
  term.redirect(process.terminal)
  local ok, result = coroutine.resume(process.co, event, ...)
  process.terminal = term.current()
  if ok then
    process.filter = result
  else
    printError(result)
  end
  current = previous
end

local function launch(env, path, ...)
  local arguments = table.pack(...)
  local top, rows = content_rows()
  local process = { title = fs.getName(path):gsub("%.lua$", ""), was_focused = false }
  process.window = window.create(parent_term, 1, top, width, rows, false)
  process.terminal = public_terminal(process.window)
  env.multishell = multishell
  process.co = coroutine.create(function()
    os.run(env, path, table.unpack(arguments, 1, arguments.n))
    if not process.was_focused then
      term.setCursorBlink(false)
      print("Press any key to continue")
      os.pullEvent("char")
    end
  end)
  local index = #processes + 1
  processes[index] = process
  return index
end

-- The programs are notified later by the main loop: one of them may be running now.
local function resize_windows()
  resized = true
  local top, rows = content_rows()
  for _, process in ipairs(processes) do
    local x, y = process.window.getCursorPos()
    if y > rows then
      process.window.scroll(y - rows)
      process.window.setCursorPos(x, rows)
    end
    process.window.reposition(1, top, width, rows)
  end
end

local function update_bar()
  local wanted = #processes > 1
  if wanted == bar_shown then return end
  bar_shown = wanted
  resize_windows()
end

local function remove_dead()
  local removed = false
  for index = #processes, 1, -1 do
    if coroutine.status(processes[index].co) == "dead" then
      table.remove(processes, index)
      removed = true
      if focused == index then
        focused = nil
        if #processes > 0 then select_process(math.max(1, index - 1)) end
      elseif focused and focused > index then
        focused = focused - 1
      end
    end
  end
  return removed
end

function multishell.getFocus()
  return focused
end
function multishell.setFocus(index)
  if index >= 1 and index <= #processes then
    select_process(index)
    draw_bar()
    return true
  end
  return false
end
function multishell.getTitle(index)
  return processes[index] and processes[index].title
end
function multishell.setTitle(index, title)
  if processes[index] then
    processes[index].title = title
    draw_bar()
  end
end
function multishell.getCurrent()
  return current
end
function multishell.getCount()
  return #processes
end
function multishell.launch(env, path, ...)
  local previous = term.current()
  local index = launch(env, path, ...)
  resume_process(index)
  update_bar()
  draw_bar()
  term.redirect(previous)
  return index
end

parent_term.clear()
select_process(launch({}, "rom/programs/shell.lua"))
resume_process(1)
draw_bar()

while #processes > 0 do
  local event = table.pack(os.pullEventRaw())
  if event[1] == "term_resize" then
    width, height = parent_term.getSize()
    resize_windows()
  elseif focused_only[event[1]] then
    local row = event[4]
    if bar_shown and event[1] == "mouse_click" and row == 1 then
      local x = 1
      for index, process in ipairs(processes) do
        local stop = x + #process.title + 1
        if event[3] >= x and event[3] <= stop then
          select_process(index)
          break
        end
        x = stop + 1
      end
    else
      if bar_shown and event[1]:sub(1, 5) == "mouse" then event[4] = row - 1 end
      resume_process(focused, table.unpack(event, 1, event.n))
    end
  else
    for index = 1, #processes do
      if processes[index] then resume_process(index, table.unpack(event, 1, event.n)) end
    end
  end
  if remove_dead() then update_bar() end
  if resized then
    resized = false
    for index = 1, #processes do
      resume_process(index, "term_resize")
    end
    if remove_dead() then update_bar() end
  end
  draw_bar()
end
term.redirect(parent_term)
