-- Smelts everything that is in the furnaces, batch by batch.
local BATCHES = 24
local bank = peripheral.find("furnace_bank")
if not bank then error("The furnaces are not connected.", 0) end

print("Smelting " .. BATCHES .. " batches.")
for batch = 1, BATCHES do
  sleep(1.5)
  local ingots = bank.smelt(batch)
  if ingots == 0 then
    print(("batch %d of %d: BURNED"):format(batch, BATCHES))
  else
    print(("batch %d of %d: %d ingots"):format(batch, BATCHES, ingots))
  end
end
print("Done. Seal of this run: " .. bank.seal())
