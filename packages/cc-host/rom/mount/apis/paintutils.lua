local function pixel(x, y)
  term.setCursorPos(math.floor(x), math.floor(y))
  term.write(" ")
end

local function use(colour)
  if colour then term.setBackgroundColor(colour) end
end

local function ordered(a, b)
  a, b = math.floor(a), math.floor(b)
  return math.min(a, b), math.max(a, b)
end

function drawPixel(x, y, colour)
  use(colour)
  pixel(x, y)
end

function drawLine(x1, y1, x2, y2, colour)
  use(colour)
  x1, y1, x2, y2 = math.floor(x1), math.floor(y1), math.floor(x2), math.floor(y2)
  local steps = math.max(math.abs(x2 - x1), math.abs(y2 - y1))
  if steps == 0 then return pixel(x1, y1) end
  for step = 0, steps do
    local part = step / steps
    pixel(x1 + (x2 - x1) * part + 0.5, y1 + (y2 - y1) * part + 0.5)
  end
end

function drawFilledBox(x1, y1, x2, y2, colour)
  use(colour)
  local left, right = ordered(x1, x2)
  local top, bottom = ordered(y1, y2)
  for y = top, bottom do
    term.setCursorPos(left, y)
    term.write((" "):rep(right - left + 1))
  end
end

function drawBox(x1, y1, x2, y2, colour)
  use(colour)
  drawLine(x1, y1, x2, y1)
  drawLine(x1, y2, x2, y2)
  drawLine(x1, y1, x1, y2)
  drawLine(x2, y1, x2, y2)
end

function parseImage(text)
  local image = {}
  for line in (text .. "\n"):gmatch("(.-)\n") do
    local row = {}
    for x = 1, #line do
      local digit = tonumber(line:sub(x, x), 16)
      row[x] = digit and 2 ^ digit or 0
    end
    image[#image + 1] = row
  end
  return image
end

function loadImage(path)
  if not fs.exists(path) then return nil end
  local file = fs.open(path, "r")
  local text = file.readAll()
  file.close()
  return parseImage(text)
end

function drawImage(image, left, top)
  for y, row in ipairs(image) do
    for x, colour in ipairs(row) do
      if colour > 0 then drawPixel(left + x - 1, top + y - 1, colour) end
    end
  end
end
