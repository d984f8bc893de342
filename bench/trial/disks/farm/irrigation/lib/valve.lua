local valve = {}

function valve.open(zone)
  redstone.setBundledOutput("back", 2 ^ zone)
end

function valve.shut()
  redstone.setBundledOutput("back", 0)
end

return valve
