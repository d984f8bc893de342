local expect = dofile("rom/modules/main/cc/expect.lua").expect

local function preload_searcher(package)
  return function(name)
    if package.preload[name] then return package.preload[name] end
    return nil, "no field package.preload['" .. name .. "']"
  end
end

local function path_searcher(package, env, dir)
  return function(name)
    local file_name = name:gsub("%.", "/")
    local tried = {}
    for pattern in package.path:gmatch("[^;]+") do
      local path = pattern:gsub("%?", (file_name:gsub("%%", "%%%%")))
      if path:sub(1, 1) ~= "/" then path = fs.combine(dir, path) end
      if fs.exists(path) and not fs.isDir(path) then
        local chunk, err = loadfile(path, nil, env)
        if chunk then return chunk, path end
        return nil, err
      end
      tried[#tried + 1] = "no file '" .. path .. "'"
    end
    return nil, table.concat(tried, "\n  ")
  end
end

local loading = {}

local function make_require(package)
  return function(name)
    expect(1, name, "string")
    local loaded = package.loaded[name]
    if loaded == loading then error("loop or previous error loading module '" .. name .. "'", 2) end
    if loaded ~= nil then return loaded end
    local message = "module '" .. name .. "' not found:"
    for _, searcher in ipairs(package.loaders) do
      local loader, extra = searcher(name)
      if loader then
        package.loaded[name] = loading
        local ok, result = pcall(loader, name, extra)
        if not ok then
          package.loaded[name] = nil
          error(result, 0)
        end
        if result ~= nil then
          package.loaded[name] = result
        elseif package.loaded[name] == loading then
          package.loaded[name] = true
        end
        return package.loaded[name]
      end
      if extra then message = message .. "\n  " .. extra end
    end
    error(message, 2)
  end
end

local function make(env, dir)
  expect(1, env, "table")
  expect(2, dir, "string")
  local package = {
    path = "?;?.lua;?/init.lua;/rom/modules/main/?;/rom/modules/main/?.lua;/rom/modules/main/?/init.lua",
    config = "/\n;\n?\n!\n-",
    preload = {},
    loaded = {
      _G = _G,
      bit32 = bit32,
      coroutine = coroutine,
      math = math,
      string = string,
      table = table,
      utf8 = utf8,
    },
  }
  if turtle then
    package.path = package.path
      .. ";/rom/modules/turtle/?;/rom/modules/turtle/?.lua;/rom/modules/turtle/?/init.lua"
  elseif commands then
    package.path = package.path
      .. ";/rom/modules/command/?;/rom/modules/command/?.lua;/rom/modules/command/?/init.lua"
  end
  package.loaded.package = package
  package.loaders = { preload_searcher(package), path_searcher(package, env, dir) }
  package.searchers = package.loaders
  return make_require(package), package
end

return { make = make }
