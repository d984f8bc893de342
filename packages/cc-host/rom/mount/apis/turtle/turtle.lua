for name, method in pairs(_G.turtle) do
  _ENV[name] = method
end
