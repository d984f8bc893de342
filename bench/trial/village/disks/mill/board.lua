-- The board at the mill. The scale is read once: it takes a while to settle.
local scale = peripheral.find("flour_scale")
local monitor = peripheral.find("monitor")
local flour = scale.weigh()
monitor.setTextScale(1)
monitor.clear()
monitor.setCursorPos(2, 2)
monitor.write("THE MILL")
monitor.setCursorPos(2, 4)
monitor.write("Flour: " .. flour)
while true do os.pullEvent("mill_stops") end
