-- Sets the farm up.
local CROPS = { wheat = true, carrots = true, potatoes = true }

local function ask(question, check)
  while true do
    write(question .. " ")
    local answer = check(read())
    if answer ~= nil then return answer end
    print("That is not possible.")
  end
end

print("Farm set-up")
local crop = ask("Crop (wheat, carrots or potatoes)?", function(text)
  return CROPS[text] and text or nil
end)
local rows = ask("Rows (1 to 16)?", function(text)
  local number = tonumber(text)
  if number and number >= 1 and number <= 16 and number % 1 == 0 then return number end
end)
write("Replant by itself (y/n)? ")
local replant
repeat
  local _, character = os.pullEvent("char")
  if character == "y" then replant = true end
  if character == "n" then replant = false end
until replant ~= nil
print(replant and "y" or "n")

local file = fs.open("/farm.cfg", "w")
file.write(textutils.serialize({ crop = crop, rows = rows, replant = replant }))
file.close()
print("Saved.")
