--- Detects changed files; not cryptographic. Must match fileHash in the protocol package.

local byte, format = string.byte, string.format
local floor = math.floor

--- The largest prime below 2^44: a state times 257 stays below 2^53, where doubles are exact.
local PRIME = 2 ^ 44 - 17
local CHUNK = 8192

local function chunk_of(state, text, from, to)
  local at = from
  while at + 7 <= to do
    local a, b, c, d, e, f, g, h = byte(text, at, at + 7)
    state = (state * 257 + a) % PRIME
    state = (state * 257 + b) % PRIME
    state = (state * 257 + c) % PRIME
    state = (state * 257 + d) % PRIME
    state = (state * 257 + e) % PRIME
    state = (state * 257 + f) % PRIME
    state = (state * 257 + g) % PRIME
    state = (state * 257 + h) % PRIME
    at = at + 8
  end
  for index = at, to do
    state = (state * 257 + byte(text, index)) % PRIME
  end
  return state
end

local function of(text, turn)
  local state = 1
  for from = 1, #text, CHUNK do
    state = chunk_of(state, text, from, math.min(from + CHUNK - 1, #text))
    turn()
  end
  return format("%05x%06x-%d", floor(state / 2 ^ 24), state % 2 ^ 24, #text)
end

return { of = of }
