local expect = dofile("rom/modules/main/cc/expect.lua").expect
local native = _G.http
local k = ...

local methods = {
  GET = true,
  POST = true,
  HEAD = true,
  OPTIONS = true,
  PUT = true,
  DELETE = true,
  PATCH = true,
  TRACE = true,
}

local function check_options(options, body_needed)
  if type(options.url) ~= "string" then
    error("bad field 'url' (string expected, got " .. type(options.url) .. ")", 3)
  end
  if body_needed and type(options.body) ~= "string" then
    error("bad field 'body' (string expected, got " .. type(options.body) .. ")", 3)
  end
  if options.method and not methods[options.method] then error("Unsupported HTTP method", 3) end
  return options
end

local function start(options)
  local ok, err = native.request(
    options.url,
    options.body,
    options.headers,
    options.binary,
    options.method,
    options.redirect,
    options.timeout
  )
  if not ok then os.queueEvent("http_failure", options.url, err) end
  return ok, err
end

local function request_and_wait(options)
  local ok, err = start(options)
  if not ok then return nil, err end
  while true do
    local event, url, first, second = os.pullEvent()
    if event == "http_success" and url == options.url then return first end
    if event == "http_failure" and url == options.url then return nil, first, second end
  end
end

function get(url, headers, binary)
  if type(url) == "table" then return request_and_wait(check_options(url)) end
  expect(1, url, "string")
  expect(2, headers, "table", "nil")
  return request_and_wait({ url = url, headers = headers, binary = binary })
end

function post(url, body, headers, binary)
  if type(url) == "table" then return request_and_wait(check_options(url, true)) end
  expect(1, url, "string")
  expect(2, body, "string")
  expect(3, headers, "table", "nil")
  return request_and_wait({ url = url, body = body, headers = headers, binary = binary })
end

function request(url, body, headers, binary)
  if type(url) == "table" then return start(check_options(url)) end
  expect(1, url, "string")
  expect(2, body, "string", "nil")
  expect(3, headers, "table", "nil")
  return start({ url = url, body = body, headers = headers, binary = binary })
end

function checkURLAsync(url)
  expect(1, url, "string")
  return native.checkURL(url)
end

function checkURL(url)
  expect(1, url, "string")
  local ok, err = native.checkURL(url)
  if not ok then return ok, err end
  while true do
    local _, checked, allowed, reason = os.pullEvent("http_check")
    if checked == url then return allowed, reason end
  end
end

local function socket_arguments(url, headers)
  if type(url) == "table" and k.info.websocketTable then
    check_options(url)
    return url.url, url.headers, url.timeout
  end
  expect(1, url, "string")
  expect(2, headers, "table", "nil")
  return url, headers
end

function websocketAsync(url, headers)
  local address, header_table, timeout = socket_arguments(url, headers)
  local ok, err = native.websocket(address, header_table, timeout)
  if not ok then os.queueEvent("websocket_failure", address, err) end
  return ok, err
end

function websocket(url, headers)
  local address, header_table, timeout = socket_arguments(url, headers)
  local ok, err = native.websocket(address, header_table, timeout)
  if not ok then return false, err end
  while true do
    local event, event_url, result = os.pullEvent()
    if event == "websocket_success" and event_url == address then return result end
    if event == "websocket_failure" and event_url == address then return false, result end
  end
end
