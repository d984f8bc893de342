-- Writes down who comes.
while true do
  write("Name of the guest? ")
  local name = read()
  local file = fs.open("/guests.txt", "a")
  file.writeLine(name)
  file.close()
end
