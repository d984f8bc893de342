local name, value = ...
local function show(setting)
  return setting .. " is " .. textutils.serialize(settings.get(setting))
end
if not name then
  for _, setting in ipairs(settings.getNames()) do
    print(show(setting))
  end
elseif value == nil then
  local details = settings.getDetails(name)
  print(show(name))
  if details.description then print(details.description) end
else
  local details = settings.getDetails(name)
  local parsed
  if value == "true" then
    parsed = true
  elseif value == "false" then
    parsed = false
  elseif value == "nil" then
    parsed = nil
  else
    parsed = tonumber(value) or value
  end
  if details.type == "string" and value ~= "nil" then parsed = value end
  if parsed == nil then
    settings.unset(name)
    print(name .. " unset")
  elseif details.type and details.type ~= type(parsed) then
    printError(name .. ": " .. value .. " is not a valid " .. details.type .. ".")
    return
  else
    settings.set(name, parsed)
    print(name .. " set to " .. textutils.serialize(parsed))
  end
  settings.save(".settings")
end
