-- Waters everything at once. Version 1.
redstone.setOutput("back", true)
sleep(10)
redstone.setOutput("back", false)
