-- Filled in by the bundler.
local OWN = "0.0.0-dev"

--- TrapOS has its own version of all its programs, so it is asked first.
local function text()
  if fs.exists("/apis/libversion.lua") or fs.exists("/apis/libversion") then
    local ok, found = pcall(function()
      return require("/apis/libversion")().forSelf()
    end)
    if ok and type(found) == "string" and found ~= "" then return (string.gsub(found, "^v", "")) end
  end
  return OWN
end

return { OWN = OWN, text = text }
