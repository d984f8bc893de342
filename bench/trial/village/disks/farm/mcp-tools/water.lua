-- Waters the field.
return {
  description = "Opens the valve for some minutes.",
  inputSchema = {
    type = "object",
    properties = { minutes = { type = "integer" } },
  },
  handler = function(input)
    local valve = peripheral.find("valve")
    return valve.open(input.minutes)
  end,
}
