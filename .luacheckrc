-- The Lua of CC:Tweaked: 5.2 without what the game leaves out, plus its own globals.
std = "lua52"
max_line_length = 110
files["lua"] = {
  globals = {},
  read_globals = {
    "_CC_DEFAULT_SETTINGS", "_HOST", "colours", "commands", "fs", "gps", "http", "keys", "multishell", "parallel",
    "pocket", "printError", "read", "redstone", "settings", "shell", "sleep", "term", "textutils", "turtle",
    "window", "write",
    peripheral = { fields = { call = { read_only = false } }, other_fields = true },
    coroutine = { fields = { "isyieldable" } },
    os = {
      fields = {
        "cancelTimer", "epoch", "getComputerID", "getComputerLabel", "pullEvent", "pullEventRaw",
        "queueEvent", "reboot", "setComputerLabel", "shutdown", "startTimer",
      },
    },
  },
}
