-- The Lua of CC:Tweaked: 5.2 without what the game leaves out, plus its own globals.
std = "lua52"
max_line_length = 110
files["lua"] = {
  globals = {},
  read_globals = {
    "_HOST", "colours", "commands", "fs", "http", "keys", "multishell", "parallel", "peripheral", "pocket",
    "printError", "read", "settings", "shell", "sleep", "term", "textutils", "turtle", "window", "write",
    os = {
      fields = {
        "cancelTimer", "epoch", "getComputerID", "getComputerLabel", "pullEvent", "pullEventRaw",
        "queueEvent", "shutdown", "startTimer",
      },
    },
  },
}
