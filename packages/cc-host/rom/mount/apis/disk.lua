local function on_drive(method)
  return function(name, ...)
    if peripheral.hasType(name, "drive") then return peripheral.call(name, method, ...) end
  end
end

for exported, method in pairs({
  isPresent = "isDiskPresent",
  getLabel = "getDiskLabel",
  setLabel = "setDiskLabel",
  hasData = "hasData",
  getMountPath = "getMountPath",
  hasAudio = "hasAudio",
  eject = "ejectDisk",
  getID = "getDiskID",
}) do
  _ENV[exported] = on_drive(method)
end
