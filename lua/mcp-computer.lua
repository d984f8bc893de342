--- mcp-computer: links this computer to a ccbridge. See mcp.cli for the command line.

local cli = require("mcp.cli")

-- An empty error ends a program unsuccessfully without printing anything.
if not cli.main(...) then error("", 0) end
