-- The first code in a fresh VM: loads the kernel (Java's part in the game), then the bios.
local raw = ...

local source_id = select(2, raw(nil, "sys.source"))

local function load_file(name)
  local _, text = raw(source_id, name)
  local fn, err = load(text, "@" .. name:gsub("^mount/", "/rom/"):gsub("^bios/", ""), "t")
  if not fn then error(err, 0) end
  return fn
end

-- The kernel's private table: host calls and raw library functions.
local k = { raw = raw, load_file = load_file }

for _, name in ipairs({ "host", "wire", "strings", "pack", "coroutines", "dialect", "main" }) do
  load_file("kernel/" .. name .. ".lua")(k)
end
