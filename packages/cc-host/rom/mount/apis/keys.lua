--- GLFW key codes.
local named = {
  space = 32,
  apostrophe = 39,
  comma = 44,
  minus = 45,
  period = 46,
  slash = 47,
  semicolon = 59,
  equals = 61,
  leftBracket = 91,
  backslash = 92,
  rightBracket = 93,
  grave = 96,
  enter = 257,
  tab = 258,
  backspace = 259,
  insert = 260,
  delete = 261,
  right = 262,
  left = 263,
  down = 264,
  up = 265,
  pageUp = 266,
  pageDown = 267,
  home = 268,
  ["end"] = 269,
  capsLock = 280,
  scrollLock = 281,
  numLock = 282,
  printScreen = 283,
  pause = 284,
  numPadDecimal = 330,
  numPadDivide = 331,
  numPadMultiply = 332,
  numPadSubtract = 333,
  numPadAdd = 334,
  numPadEnter = 335,
  numPadEqual = 336,
  leftShift = 340,
  leftCtrl = 341,
  leftAlt = 342,
  leftSuper = 343,
  rightShift = 344,
  rightCtrl = 345,
  rightAlt = 346,
  menu = 348,
}
local digits = { "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine" }
for index, name in ipairs(digits) do
  named[name] = 47 + index
  named["numPad" .. (index - 1)] = 319 + index
end
for code = 65, 90 do
  named[string.char(code + 32)] = code
end
for index = 1, 25 do
  named["f" .. index] = 289 + index
end

local by_code = {}
for name, code in pairs(named) do
  _ENV[name] = code
  by_code[code] = name
end
_ENV["return"] = named.enter

function getName(code)
  if type(code) ~= "number" then
    error("bad argument #1 (number expected, got " .. type(code) .. ")", 2)
  end
  return by_code[code]
end
