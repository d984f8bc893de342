print("This is computer #" .. os.getComputerID())
