--- Minimal: finding modems, and sending and receiving messages.
CHANNEL_BROADCAST, CHANNEL_REPEAT, MAX_ID_CHANNELS = 65535, 65533, 65500

local function id_channel(id)
  return id % MAX_ID_CHANNELS
end

local function modems()
  local found = {}
  for _, name in ipairs(peripheral.getNames()) do
    if peripheral.hasType(name, "modem") then found[#found + 1] = name end
  end
  return found
end

function open(modem)
  if not peripheral.hasType(modem, "modem") then error("No such modem: " .. modem, 2) end
  peripheral.call(modem, "open", id_channel(os.getComputerID()))
  peripheral.call(modem, "open", CHANNEL_BROADCAST)
end

function close(modem)
  for _, name in ipairs(modem and { modem } or modems()) do
    peripheral.call(name, "close", id_channel(os.getComputerID()))
    peripheral.call(name, "close", CHANNEL_BROADCAST)
  end
end

function isOpen(modem)
  for _, name in ipairs(modem and { modem } or modems()) do
    if
      peripheral.call(name, "isOpen", id_channel(os.getComputerID()))
      and peripheral.call(name, "isOpen", CHANNEL_BROADCAST)
    then
      return true
    end
  end
  return false
end

function send(recipient, message, protocol)
  local reply, sent = id_channel(os.getComputerID()), false
  local channel = recipient == CHANNEL_BROADCAST and recipient or id_channel(recipient)
  local packet = {
    nMessageID = math.random(1, 2147483647),
    nRecipient = recipient,
    nSender = os.getComputerID(),
    message = message,
    sProtocol = protocol,
  }
  for _, name in ipairs(modems()) do
    if isOpen(name) then
      peripheral.call(name, "transmit", channel, reply, packet)
      sent = true
    end
  end
  return sent
end

function broadcast(message, protocol)
  return send(CHANNEL_BROADCAST, message, protocol)
end

function receive(protocol, timeout)
  if type(protocol) == "number" and timeout == nil then
    protocol, timeout = nil, protocol
  end
  local timer = timeout and os.startTimer(timeout)
  while true do
    local event, sender, message, received_protocol = os.pullEvent()
    if event == "rednet_message" and (protocol == nil or protocol == received_protocol) then
      return sender, message, received_protocol
    elseif event == "timer" and timer and sender == timer then
      return nil
    end
  end
end

function run()
  local seen = {}
  while true do
    local event, _, channel, _, packet = os.pullEventRaw("modem_message")
    if
      event == "modem_message"
      and (channel == id_channel(os.getComputerID()) or channel == CHANNEL_BROADCAST)
    then
      if type(packet) == "table" and packet.nMessageID and not seen[packet.nMessageID] then
        seen[packet.nMessageID] = true
        os.queueEvent("rednet_message", packet.nSender or 0, packet.message, packet.sProtocol)
      end
    end
  end
end
