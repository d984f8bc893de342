local expect, k = ...

function loadfile(path, mode, env)
  if type(mode) == "table" and env == nil then
    mode, env = nil, mode
  end
  expect(1, path, "string")
  expect(2, mode, "string", "nil")
  expect(3, env, "table", "nil")
  local file = fs.open(path, "r")
  if not file then return nil, "File not found" end
  local text = file.readAll()
  file.close()
  local name = k.info.oldTexts and fs.getName(path) or "/" .. fs.combine(path)
  return load(text, "@" .. name, mode, env or _G)
end

function dofile(path)
  expect(1, path, "string")
  local program, err = loadfile(path, nil, _G)
  if not program then error(err, 2) end
  return program()
end
