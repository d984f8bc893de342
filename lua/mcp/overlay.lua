--- Functions and a terminal that are replaced only while a task runs.

local function enter(layer)
  for _, patch in ipairs(layer.patches) do
    local owner, key = patch[1], patch[2]
    patch.saved = owner[key]
    owner[key] = patch[3]
  end
  if layer.term then layer.outer_term = term.redirect(layer.term) end
end

local function leave(layer)
  if layer.outer_term then
    layer.term = term.redirect(layer.outer_term)
    layer.outer_term = nil
  end
  for index = #layer.patches, 1, -1 do
    local patch = layer.patches[index]
    local owner, key = patch[1], patch[2]
    if owner[key] == patch[3] then
      owner[key] = patch.saved
    else
      table.remove(layer.patches, index)
    end
    patch.saved = nil
  end
end

return { enter = enter, leave = leave }
