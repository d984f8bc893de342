import type { ConformanceCase } from "../case.js";

const EMULATOR_TEXTS = "its error texts differ";
const OPEN =
  'local function open(path) return assert(http.websocket("ws://" .. SERVER .. path)) end ';

export const network: readonly ConformanceCase[] = [
  {
    name: "talks over a socket and keeps the fragment in events",
    lua: `local url = "ws://" .. SERVER .. "/echo#7"
      http.websocketAsync(url, { ["X-Extra"] = "1", bad = 2 })
      local e, u, ws = os.pullEvent("websocket_success")
      report(e, u == url, type(ws.send), type(ws.receive), type(ws.close))
      ws.send("hello")
      report(ws.receive())
      ws.send("\\0\\255", true)
      local data, binary = ws.receive()
      report(#data, data:byte(1), data:byte(2), binary)
      ws.close()`,
    lines: ["websocket_success|true|function|function|function", "hello|false", "2|0|255|true"],
  },
  {
    name: "closes without an event, and throws afterwards",
    lua: `${OPEN} local ws = open("/echo")
      ws.close() ws.close()
      report(pcall(ws.send, "x"))
      local timer = os.startTimer(0.5)
      repeat local e, id = os.pullEvent() if e:match("^websocket") then report(e) end until id == timer`,
    lines: [/^false\|.*attempt to use a closed file$/],
    notInEmulator: "its handle stays locked after a failed send",
  },
  {
    name: "reports how the peer closed",
    lua: `${OPEN}
      for _, try in ipairs({ { "/close", "bye" }, { "/close", "" }, { "/drop", "x" } }) do
        local ws = open(try[1])
        ws.send(try[2])
        local e = table.pack(os.pullEvent("websocket_closed"))
        report(e[3], e[4])
      end`,
    lines: ({ since }) => [
      "bye|4001",
      "nil|4001",
      since("1.103.0") ? "Connection closed|nil" : "Websocket is inactive|nil",
    ],
    notInEmulator: EMULATOR_TEXTS,
  },
  {
    name: "returns nothing from receive when its socket closes or it times out",
    lua: `${OPEN} local ws = open("/normal")
      report(select("#", ws.receive(0.1)))
      -- On a socket that has closed already it throws, so it waits before the other side closes.
      parallel.waitForAll(
        function() report(select("#", ws.receive())) end,
        function() ws.send("x") end)`,
    lines: ["0", "0"],
    notInEmulator: "it returns nil",
  },
  {
    name: "refuses messages over 131072 bytes each way",
    lua: `${OPEN} local ws = open("/length")
      report(select(2, pcall(ws.send, ("x"):rep(131073))))
      ws.send(("x"):rep(131072))
      report(ws.receive())
      ws.close()
      ws = open("/big")
      ws.send("131072") report(#ws.receive())
      ws.send("131073")
      local e = table.pack(os.pullEvent("websocket_closed"))
      report(e[3], e[4])`,
    lines: [/Message is too large$/, "131072|false", "131072", "Could not connect|nil"],
    notInEmulator: EMULATOR_TEXTS,
  },
  {
    name: "throws on a fifth socket, connecting ones included",
    lua: `for i = 1, 5 do report((pcall(http.websocketAsync, "ws://" .. SERVER .. "/echo#" .. i))) end
      local handles = {}
      for i = 1, 4 do local _, _, ws = os.pullEvent("websocket_success") handles[i] = ws end
      handles[1].close()
      handles[1] = http.websocket("ws://" .. SERVER .. "/echo")
      report(type(handles[1]))
      for _, ws in ipairs(handles) do ws.close() end`,
    lines: ["true", "true", "true", "true", "false", "table"],
    notInEmulator: "a slot stays taken for a while",
  },
  {
    name: "fails with the game's texts",
    lua: `local function try(url) report(http.websocket(url)) end
      try("http://127.0.0.1:1/") try("ws://127.0.0.1:1/") try("ws://" .. SERVER .. "/no-such-socket")`,
    lines: [
      "false|Invalid scheme 'http'",
      "false|Could not connect",
      /^false\|Invalid handshake response getStatus: 403 Forbidden$/,
    ],
    notInEmulator: EMULATOR_TEXTS,
  },
  {
    name: "accepts a table with a timeout from 1.105 on",
    lua: `report(pcall(http.websocket, { url = "ws://" .. SILENT .. "/", timeout = 0.2 }))
      report((pcall(http.websocket, { url = "ws://" .. SILENT .. "/", timeout = 61 })))`,
    lines: ({ since }) =>
      since("1.105.0") ? ["true|false|Timed out", "false"] : [/^false\|.*bad argument #1/, "false"],
    notInEmulator: "its table form never returns",
  },
  {
    name: "carries UTF-8 bytes from 1.109 on and code points before",
    lua: `${OPEN} local ws = open("/codes")
      ws.send("\\195\\169\\255")
      report(ws.receive())
      ws.close()
      ws = open("/greek")
      ws.send("go")
      report(ws.receive():byte(1, -1))
      ws.close()`,
    lines: ({ since }) =>
      since("1.109.0") ? ["e9 fffd|false", "195|169|226|130|172"] : ["c3 a9 ff|false", "233|63"],
    notInEmulator: "it sends bytes as they are, whatever they are",
  },
  {
    name: "drops messages that its queue cannot hold",
    lua: `${OPEN} local ws = open("/burst")
      ws.send("1000")
      local began = os.epoch("utc")
      while os.epoch("utc") - began < 1500 do end
      local count, last = 0, 0
      local timer = os.startTimer(1)
      while true do
        local e, a, b = os.pullEvent()
        if e == "websocket_message" then count, last = count + 1, tonumber(b) elseif e == "timer" and a == timer then break end
      end
      -- Timers that programs before it left may have a place in the queue too.
      report(count <= 256 and count > 250, last == count)
      ws.close()`,
    lines: ["true|true"],
    notInEmulator: "its queue has no end",
  },
  {
    name: "sees only the first fragment of a message, and whole ones after it",
    lua: `${OPEN} local ws = open("/fragments") ws.send("go") report(ws.receive()) report(ws.receive()) ws.close()`,
    lines: ["first|false", "whole|false"],
    notInEmulator: "each fragment is a message",
  },
  {
    name: "ends a receive and a wait for a socket with Terminated",
    lua: `${OPEN} local ws = open("/echo")
      os.queueEvent("terminate")
      report(pcall(ws.receive))
      ws.close()`,
    lines: [/^false\|.*Terminated$/],
  },
  {
    name: "fetches text, bytes, gzip and redirects, and reports failures",
    lua: `local base = "http://" .. SERVER
      local r = http.get(base .. "/text")
      report(r.getResponseCode()) report(r.getResponseHeaders()["X-One"], r.readLine(), r.readLine())
      r.close()
      report(pcall(r.readAll))
      r = http.get(base .. "/bytes", nil, true)
      report(r.readAll():byte(1, -1))
      report(http.get(base .. "/gzip").readAll(), http.get(base .. "/redirect").readAll():sub(1, 8))
      report(http.post(base .. "/post", "body").readAll())
      local ok, err, response = http.get(base .. "/none")
      report(ok, err, (response.getResponseCode())) report(response.readAll())
      report((http.get(base .. "/loop").getResponseCode()))
      report((select(2, http.get("ftp://x/")))) report((select(2, http.get("nothing"))))
      report((select(2, http.get("http://127.0.0.1:1/"))))`,
    lines: [
      "200|OK",
      "1|line one|line two",
      /^false\|.*attempt to use a closed file$/,
      "0|255|10",
      "packed|line one",
      "POST body",
      "nil|Not Found|404",
      "nothing",
      "302",
      "Invalid protocol 'ftp'",
      /^(Must specify http or https|URL malformed)$/,
      "Could not connect",
    ],
    notInEmulator: EMULATOR_TEXTS,
  },
  {
    name: "runs a program of the web with its arguments",
    lua: `_G.RAN = nil
      shell.run("wget", "run", "http://" .. SERVER .. "/program.lua", "one", "two")
      report(_G.RAN) _G.RAN = nil
      report(http.checkURL("http://" .. SERVER .. "/"))`,
    lines: ["one two", "true|nil"],
  },
];
