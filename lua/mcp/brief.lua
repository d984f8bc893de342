--- Short texts for players: an address without its secrets, one line of a long text, the time.

local function time()
  return os.date("%H:%M")
end

local function write_problem(problem)
  problem = tostring(problem)
  if string.find(problem, "Out of space", 1, true) then return "the disk is full" end
  return problem
end

--- An address as others may see it: a query or a user name may hold the token.
local function public_url(url)
  url = string.gsub(url, "[?#].*$", "")
  return (string.gsub(url, "^(%w+://)[^/]*@", "%1"))
end

local function one_line(text)
  return string.sub((string.gsub(tostring(text), "[%c\127-\255]+", " ")), 1, 200)
end

return { time = time, write_problem = write_problem, public_url = public_url, one_line = one_line }
