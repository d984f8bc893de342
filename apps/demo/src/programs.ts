// The programs that run on the demo's computers.

export const stock = `
local stock = { { "cobblestone", 150, colours.cyan }, { "iron ingot", 92, colours.orange },
  { "coal", 41, colours.lime }, { "redstone", 37, colours.red }, { "wheat", 19, colours.yellow } }
while true do
  term.setBackgroundColour(colours.black) term.clear()
  term.setCursorPos(1, 1) term.setBackgroundColour(colours.blue) term.clearLine() write(" Stock of the base")
  for index, row in ipairs(stock) do
    row[2] = math.max(4, math.min(180, row[2] + math.random(-4, 6)))
    term.setBackgroundColour(colours.black) term.setTextColour(colours.lightGrey)
    term.setCursorPos(2, 1 + index * 2) write(row[1])
    term.setCursorPos(16, 1 + index * 2) term.setBackgroundColour(row[3]) write((" "):rep(math.ceil(row[2] / 6)))
    term.setBackgroundColour(colours.black) term.setTextColour(colours.white) write(" " .. row[2])
  end
  sleep(2)
end
`;

export const reactor = `
local heat = 412
while true do
  heat = math.max(320, math.min(780, heat + math.random(-25, 27)))
  term.setBackgroundColour(colours.black) term.clear()
  term.setCursorPos(2, 2) term.setTextColour(colours.yellow) write("REACTOR 1")
  term.setCursorPos(2, 4) term.setTextColour(colours.white) write(("heat    %d K"):format(heat))
  term.setCursorPos(2, 5) write(("output  %.1f kRF/t"):format(heat / 61))
  term.setCursorPos(2, 7)
  for step = 1, 40 do
    term.setBackgroundColour(step * 20 > heat and colours.grey or (step > 32 and colours.red or colours.lime))
    write(" ")
  end
  term.setBackgroundColour(colours.black)
  sleep(1)
end
`;

/** It has the fault that the replayed model finds and repairs. */
export const lock = `-- Opens the gate for players on the list.
local friends = { alex = true, sam = true }

print("The gate is guarded.")
while true do
  local _, name = os.pullEvent("player_near")
  if friends[name] then
    redstone.setOutput("front", true)
    sleep(3)
    redstone.setOutput("front", flase)
  end
end
`;

export const harvest = `-- Harvests the field and plants it again.
local seeds = turtle.getItemCount(1)
if seeds < 9 then error("not enough seeds in slot 1: " .. seeds .. " of 9", 0) end
print("planting")
`;

/** Tools that computers offer to AI clients, with progress. */
export const sortTool = `
return {
  description = "Sorts the chests of the base and says how many stacks it moved.",
  input = { stacks = { type = "integer", description = "stacks to move", default = 64 } },
  run = function(args, context)
    for stack = 1, args.stacks do
      context.output("sorted stack " .. stack .. " into chest " .. (stack % 4 + 1))
      context.progress(stack, args.stacks, "chest " .. (stack % 4 + 1))
      sleep(1.5)
    end
    return args.stacks
  end,
}
`;

export const quarryTool = `
return {
  description = "Digs a shaft straight down and comes back up. Returns how deep it got.",
  input = { depth = { type = "integer", description = "blocks to dig", default = 24 } },
  run = function(args, context)
    local dug = 0
    for layer = 1, args.depth do
      if turtle.detectDown() then turtle.digDown() end
      if not turtle.down() then break end
      dug = layer
      context.output("layer " .. layer)
      context.progress(layer, args.depth, "layer " .. layer)
      sleep(2)
    end
    for _ = 1, dug do turtle.up() end
    turtle.turnRight() turtle.forward() turtle.turnLeft()
    return dug
  end,
}
`;
