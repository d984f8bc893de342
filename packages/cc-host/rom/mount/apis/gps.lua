--- Position: command computers know theirs, everyone else would need hosts, which are not modelled.
CHANNEL_GPS = 65534

function locate()
  if commands then return commands.getBlockPosition() end
  return nil
end
