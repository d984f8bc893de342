local k = ...
local host, encode, wait_event = k.host, k.wire.encode, coroutine.yield
local type, error, tostring, pairs = type, error, tostring, pairs
local native = host.group("http")
local socket = host.group("websocket")
local file_collected = host.fn("file.collected")
local info = k.info

local function receive(ref, url, timeout)
  local timer = timeout and os.startTimer(timeout) or nil
  while true do
    local event, first, data, binary = wait_event()
    if event == "terminate" then error("Terminated", 0) end
    if event == "websocket_message" and first == url then
      if timer and info.receiveCancelsTimer then os.cancelTimer(timer) end
      return data, binary
    elseif event == "websocket_closed" and first == url and not socket.isOpen(ref.id) then
      if timer and info.receiveCancelsTimer then os.cancelTimer(timer) end
      return
    elseif event == "timer" and timer and first == timer then
      return
    end
  end
end

function host.literal_env.websocket(id, url)
  local ref = host.reference(socket.collected, id)
  return {
    receive = function(timeout)
      if timeout ~= nil and type(timeout) ~= "number" then
        error("bad argument #1 (number expected, got " .. type(timeout) .. ")", 2)
      end
      if not socket.isOpen(ref.id) then error("attempt to use a closed file", 2) end
      return receive(ref, url, timeout)
    end,
    send = function(message, binary)
      if type(message) == "number" or type(message) == "boolean" then
        message = tostring(message)
      end
      if type(message) ~= "string" then
        error("bad argument #1 (string expected, got " .. type(message) .. ")", 2)
      end
      -- Tail calls, here and below, so that an error names the program's line and not this one.
      return socket.send(ref.id, message, binary and true or false)
    end,
    close = function()
      return socket.close(ref.id)
    end,
  }
end

function host.literal_env.response(id, status, message, headers, methods)
  local ref = host.reference(file_collected, id)
  local handle = {
    getResponseCode = function()
      return status, message
    end,
    getResponseHeaders = function()
      local copy = {}
      for key, value in pairs(headers) do
        copy[key] = value
      end
      return copy
    end,
  }
  for name in methods:gmatch("%S+") do
    local call = host.fn("file." .. name)
    handle[name] = function(...)
      return call(ref.id, ...)
    end
  end
  return handle
end

http = {}

function http.request(url, body, headers, binary, method, redirect, timeout)
  return native.request(
    url,
    body,
    encode(headers or {}),
    binary or false,
    method,
    redirect ~= false,
    timeout
  )
end

function http.websocket(url, headers, timeout)
  return native.websocket(url, encode(headers or {}), timeout)
end

http.checkURL = native.checkURL
