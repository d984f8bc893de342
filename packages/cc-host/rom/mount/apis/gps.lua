--- Only command computers have a position; GPS hosts are not modelled.
CHANNEL_GPS = 65534

function locate()
  if commands then return commands.getBlockPosition() end
  return nil
end
