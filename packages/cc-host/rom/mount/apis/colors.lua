local names = {
  "white",
  "orange",
  "magenta",
  "lightBlue",
  "yellow",
  "lime",
  "pink",
  "gray",
  "lightGray",
  "cyan",
  "purple",
  "blue",
  "brown",
  "green",
  "red",
  "black",
}
for index, name in ipairs(names) do
  _ENV[name] = 2 ^ (index - 1)
end

function combine(...)
  local result = 0
  for i = 1, select("#", ...) do
    result = bit32.bor(result, (select(i, ...)))
  end
  return result
end

function subtract(base, ...)
  for i = 1, select("#", ...) do
    base = bit32.band(base, bit32.bnot((select(i, ...))))
  end
  return base
end

function test(set, colour)
  return bit32.band(set, colour) == colour
end

function packRGB(r, g, b)
  return bit32.band(r * 255, 0xFF) * 2 ^ 16
    + bit32.band(g * 255, 0xFF) * 2 ^ 8
    + bit32.band(b * 255, 0xFF)
end

function unpackRGB(rgb)
  return bit32.band(bit32.rshift(rgb, 16), 0xFF) / 255,
    bit32.band(bit32.rshift(rgb, 8), 0xFF) / 255,
    bit32.band(rgb, 0xFF) / 255
end

function toBlit(colour)
  local index = math.floor(math.log(colour) / math.log(2) + 0.5)
  if index < 0 or index > 15 or 2 ^ index ~= colour then error("Colour out of range", 2) end
  return ("%x"):format(index)
end

function fromBlit(hex)
  if #hex ~= 1 then return nil end
  local value = tonumber(hex, 16)
  return value and 2 ^ value or nil
end
