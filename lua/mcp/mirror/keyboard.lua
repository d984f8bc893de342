local ALIASES = {
  ctrl = "leftctrl",
  control = "leftctrl",
  shift = "leftshift",
  alt = "leftalt",
  super = "leftsuper",
  cmd = "leftsuper",
  ["return"] = "enter",
  del = "delete",
  ins = "insert",
  pgup = "pageup",
  pgdn = "pagedown",
  pgdown = "pagedown",
  [" "] = "space",
}

local WRITES = {
  space = "  ",
  minus = "-_",
  equals = "=+",
  leftbracket = "[{",
  rightbracket = "]}",
  backslash = "\\|",
  semicolon = ";:",
  apostrophe = "'\"",
  grave = "`~",
  comma = ",<",
  period = ".>",
  slash = "/?",
  zero = "0)",
  one = "1!",
  two = "2@",
  three = "3#",
  four = "4$",
  five = "5%",
  six = "6^",
  seven = "7&",
  eight = "8*",
  nine = "9(",
}
for letter in string.gmatch("abcdefghijklmnopqrstuvwxyz", ".") do
  WRITES[letter] = letter .. string.upper(letter)
end
for name, both in pairs(WRITES) do
  local alone = string.sub(both, 1, 1)
  if name ~= alone and alone ~= " " then ALIASES[alone] = name end
end

local MODIFIERS = { ctrl = true, alt = true, super = true }

--- Key codes differ between versions of the game.
local codes
local function code_of(name)
  if not codes then
    codes = {}
    for known, code in pairs(keys) do
      if type(code) == "number" then codes[string.lower(known)] = code end
    end
  end
  return codes[name]
end

local function push(events, ...)
  events[#events + 1] = table.pack(...)
end

local function is_kind(name, kind)
  return name == "left" .. kind or name == "right" .. kind
end

local function parse(combination)
  if type(combination) ~= "string" then
    return nil, "a key must be a string such as enter or ctrl+s"
  end
  local names = {}
  for part in string.gmatch(combination, "[^+]+") do
    local name = string.lower(part)
    name = ALIASES[name] or name
    if not code_of(name) then
      local why = name == "esc" or name == "escape"
      return nil,
        "there is no key named "
          .. string.sub(part, 1, 32)
          .. (why and ": the game keeps Escape for itself" or "")
    end
    names[#names + 1] = name
  end
  if #names == 0 then return nil, "the key is empty; for a plus sign press shift+equals" end
  return names
end

local function written(names)
  local shift = false
  for index = 1, #names - 1 do
    for kind in pairs(MODIFIERS) do
      if is_kind(names[index], kind) then return nil end
    end
    shift = shift or is_kind(names[index], "shift")
  end
  local both = WRITES[names[#names]]
  return both and string.sub(both, shift and 2 or 1, shift and 2 or 1)
end

local function press(events, combination)
  local names, problem = parse(combination)
  if not names then return nil, problem end
  for _, name in ipairs(names) do
    push(events, "key", code_of(name), false)
  end
  local char = written(names)
  if char then push(events, "char", char) end
  for index = #names, 1, -1 do
    push(events, "key_up", code_of(names[index]))
  end
  return true
end

local function type_text(events, text)
  -- U+0080 to U+00FF are one byte in the game.
  text = string.gsub(text, "([\194\195])([\128-\191])", function(lead, rest)
    return string.char((string.byte(lead) - 194) * 64 + string.byte(rest))
  end)
  text = string.gsub(text, "\r\n?", "\n")
  for char in string.gmatch(text, ".") do
    if char == "\n" then
      press(events, "enter")
    elseif char == "\t" then
      press(events, "tab")
    elseif string.byte(char) >= 32 and char ~= "\127" then
      push(events, "char", char)
    end
  end
  return true
end

return { press = press, type_text = type_text }
