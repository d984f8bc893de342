-- Counts the carts that pass.
local carts = 0
while true do
  os.pullEvent("cart")
  carts = carts + 1
  local file = fs.open("/carts.txt", "w")
  file.write(tostring(carts))
  file.close()
end
