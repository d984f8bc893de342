local hardware = _G.term
local target = hardware

local function forward(name)
  return function(...)
    return target[name](...)
  end
end

function redirect(new_target)
  if type(new_target) ~= "table" then
    error("bad argument #1 (table expected, got " .. type(new_target) .. ")", 2)
  end
  if new_target == _G.term then
    error("term is not a recommended redirect target, try term.current() instead", 2)
  end
  for name, method in pairs(hardware) do
    if type(method) == "function" and type(rawget(new_target, name)) ~= "function" then
      new_target[name] = function()
        error("Redirect object is missing method " .. name .. ".", 2)
      end
    end
  end
  local old = target
  target = new_target
  return old
end

function current()
  return target
end

function native()
  return hardware
end

for name, method in pairs(hardware) do
  if type(method) == "function" and rawget(_ENV, name) == nil then _ENV[name] = forward(name) end
end
nativePaletteColour, nativePaletteColor = hardware.nativePaletteColour, hardware.nativePaletteColor
