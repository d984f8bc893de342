-- Waters the fields zone by zone. Version 2.
local valve = require("lib.valve")
for zone = 1, 6 do
  valve.open(zone)
  sleep(4)
  valve.shut(zone)
end
