--- The turtle's own functions, as the hardware offers them.
for name, method in pairs(_G.turtle) do
  _ENV[name] = method
end
