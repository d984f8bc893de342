--- mcp-computer: links this computer to a ccbridge. See mcp.cli for the command line.

local cli = require("mcp.cli")

local well, restart = cli.main(...)
-- A call in this place frees what is loaded here: another run of the program replaces this one.
if restart then return restart() end
-- An error without a text is how a program ends badly without printing anything.
if not well then error("", 0) end
