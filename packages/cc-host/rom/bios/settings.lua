local k = ...

local function define(name, description, default, kind)
  settings.define(name, { description = description, default = default, type = kind or "boolean" })
end

define("shell.allow_startup", "Run startup files when the computer turns on.", true)
define("shell.allow_disk_startup", "Run startup files from disk drives.", not commands)
define("shell.autocomplete", "Autocomplete commands in the shell.", true)
define("shell.store_history", "Keep the shell history on disk.", false)
define("edit.autocomplete", "Autocomplete API and function names in the editor.", true)
define("lua.autocomplete", "Autocomplete in the Lua prompt.", true)
define("lua.warn_against_use_of_local", "Warn when a local is defined at the Lua prompt.", true)
define("lua.function_args", "Show function arguments when printing functions.", true)
define("lua.function_source", "Show where functions were defined when printing them.", false)
define("list.show_hidden", "Show hidden files.", false)
define("motd.enable", "Show a message when the computer starts.", pocket ~= nil)
define("bios.use_multishell", "Allow several programs at once in tabs.", true)
define("bios.strict_globals", "Make stray global variables an error.", false)

for name, value in (k.info.defaultSettings or ""):gmatch("([^=,]+)=([^,]*)") do
  if value == "true" then
    value = true
  elseif value == "false" then
    value = false
  end
  settings.set(name, tonumber(value) or value)
end
if fs.exists(".settings") then settings.load(".settings") end
