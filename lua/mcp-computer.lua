--- mcp-computer: links this computer to a ccbridge. See mcp.cli for the command line.

local cli = require("mcp.cli")

-- An error without a text is how a program ends badly without printing anything.
if not cli.main(...) then error("", 0) end
