/**
 * A program for each rule of the guide that fails where the rule is wrong. All run on the same turtle: no fuel, a stone
 * in front of it, air behind it, 8 coal in slot 3, and a wired network with two chests at its back.
 */
export const guideChecks: Readonly<Record<string, string>> = {
  version: `
    assert(not load("return 7 // 2") and not load("return 1 & 2") and not load("return 1 << 2"))
    assert(load("goto done ::done::") and 7 / 2 == 3.5 and tostring(4 / 2) == "2")
    assert(math.floor(7 / 2) == 3 and bit32.band(6, 3) == 2)`,
  globals: `
    save("/set.lua", "leaked = 1")
    save("/get.lua", 'if leaked then error("seen") end')
    assert(shell.run("/set.lua") and shell.run("/get.lua"))
    save("/mod.lua", "mine = 1 return function() return mine end")
    mine = 2
    assert(require("mod")() == 1)`,
  tables: `
    assert(tostring({ 1 }):find("^table: ") and textutils.serialise({ 1 }):find("1"))`,
  colours: `
    assert(colors.white == 1 and colors.orange == 2 and colors.red == 2 ^ 14 and colours == colours)
    assert(colors.combine(colors.white, colors.red) == colors.white + colors.red)`,
  time: `
    assert(os.epoch("utc") > 1.6e12 and os.time() >= 0 and os.time() < 24)
    local before = os.clock()
    sleep(1)
    assert(os.clock() - before >= 0.9 and os.clock() - before < 2)`,
  yielding: `
    save("/endless.lua", "while true do end")
    local ok, problem = pcall(function() return shell.run("/endless.lua") end)
    assert(not (ok and problem), "an endless loop ended well")
    sleep(0)
    local before = os.epoch("utc")
    sleep(0)
    local passed = os.epoch("utc") - before
    assert(passed >= 50 and passed < 100, passed)`,
  sleep: `
    os.queueEvent("lost")
    sleep(0)
    local timer, seen = os.startTimer(0.5), false
    repeat
      local event, id = os.pullEvent()
      seen = seen or event == "lost"
    until event == "timer" and id == timer
    assert(not seen)
    os.queueEvent("heard")
    parallel.waitForAny(function() sleep(0.2) end, function() os.pullEvent("heard") seen = true sleep(9) end)
    assert(seen)`,
  parallel: `
    local count, ended = 0, false
    local function listen() os.pullEvent("shared") count = count + 1 end
    os.queueEvent("shared")
    parallel.waitForAll(listen, listen)
    assert(count == 2)
    parallel.waitForAny(function() sleep(0) end, function() sleep(1) ended = true end)
    sleep(2)
    assert(not ended)`,
  pull: `
    os.queueEvent("other", 0)
    os.queueEvent("wanted", 1, "two")
    local event, first, second = os.pullEvent("wanted")
    assert(event == "wanted" and first == 1 and second == "two")
    os.queueEvent("terminate")
    local ok, problem = pcall(os.pullEvent)
    assert(not ok and tostring(problem):find("Terminated"))
    os.queueEvent("terminate")
    assert(os.pullEventRaw() == "terminate")`,
  timers: `
    local late, early = os.startTimer(0.5), os.startTimer(0.1)
    local _, id = os.pullEvent("timer")
    assert(late ~= early and id == early)
    local _, second = os.pullEvent("timer")
    assert(second == late)`,
  results: `
    local ok, reason = turtle.forward()
    assert(ok == false and type(reason) == "string")
    ok, reason = turtle.placeUp()
    assert(ok == false and type(reason) == "string")
    ok, reason = turtle.digDown()
    assert(ok == false and type(reason) == "string")`,
  fuel: `
    local before = turtle.getFuelLevel()
    assert(before == 0 and select(2, turtle.back()) == "Out of fuel")
    turtle.select(3)
    assert(turtle.refuel(1) and turtle.getItemCount(3) == 7)
    local full = turtle.getFuelLevel()
    assert(full > 0)
    turtle.turnLeft()
    turtle.turnRight()
    assert(turtle.getFuelLevel() == full)
    assert(turtle.back() and turtle.getFuelLevel() == full - 1)
    assert(turtle.forward())`,
  inspect: `
    local is_block, block = turtle.inspect()
    assert(is_block == true and block.name == "minecraft:stone" and turtle.detect() == true)
    local none, text = turtle.inspectUp()
    assert(none == false and type(text) == "string")`,
  slots: `
    assert(turtle.getItemDetail(1) == nil and turtle.getItemDetail(3).name == "minecraft:coal")
    assert(not pcall(turtle.select, 17) and not pcall(turtle.select, 0))
    turtle.select(3)
    assert(turtle.getItemCount() == turtle.getItemCount(3) and turtle.getSelectedSlot() == 3)`,
  position: `
    assert(turtle.getPosition == nil and turtle.getDirection == nil and turtle.getLocation == nil)
    assert(gps.locate(0.2) == nil)`,
  find: `
    assert(peripheral.find("monitor") == nil and peripheral.wrap("top") == nil)
    assert(peripheral.wrap("minecraft:chest_0").list)`,
  inventories: `
    local chest, counted, summed = peripheral.wrap("minecraft:chest_0"), 0, 0
    for _ in ipairs(chest.list()) do counted = counted + 1 end
    for slot, item in pairs(chest.list()) do
      summed = summed + item.count
      assert(item.name and item.maxCount == nil and chest.getItemDetail(slot).maxCount)
    end
    assert(counted == 0 and summed == 12)`,
  network: `
    local chest = peripheral.wrap("minecraft:chest_0")
    assert(chest.pushItems("minecraft:chest_1", 2, 3) == 3)
    assert(not pcall(chest.pushItems, "minecraft:chest_9", 2, 1) and not pcall(chest.pushItems, "top", 2, 1))`,
  rednet: `
    local function refused() return not pcall(rednet.broadcast, "hi") or not rednet.isOpen() end
    assert(refused())
    rednet.open("left")
    assert(rednet.isOpen("left"))`,
  files: `
    local file, reason = fs.open("/nothing/here", "r")
    assert(file == nil and type(reason) == "string")
    fs.makeDir("/folder")
    shell.setDir("/folder")
    local out = fs.open("state", "w")
    out.write("kept")
    out.close()
    assert(fs.exists("/state") and not fs.exists("/folder/state"))
    shell.setDir("/")`,
  startup: `
    assert(fs.exists("/started") and fs.exists("/started-too"))`,
  shell: `
    assert(shell ~= nil and rawget(_G, "shell") == nil)
    save("/folder/part.lua", 'return "beside"')
    save("/folder/main.lua", 'assert(require("part") == "beside")')
    save("/fails.lua", 'error("no", 0)')
    assert(shell.run("/folder/main.lua") == true and shell.run("/fails.lua") == false)`,
  http: `
    local response, reason = http.get("http://127.0.0.1:1/")
    assert(response == nil and type(reason) == "string")`,
};
