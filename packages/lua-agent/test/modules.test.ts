import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { LuaComputer } from "./lua-computer.js";

describe.each(["1.100.0", "1.113.1"])("modules on CC:Tweaked %s", (version) => {
  let lua: LuaComputer;
  beforeAll(async () => {
    lua = await LuaComputer.boot(version);
  });
  afterAll(() => lua.close());

  describe("backoff", () => {
    it("grows from 1 to 30 seconds, half of each pause chance, and starts over", async () => {
      const [low, high, after] = await lua.json<[number[], number[], number]>(
        `local backoff = require("mcp.backoff")
         local low, high = {}, {}
         local least = backoff.new(function() return 0 end)
         local most = backoff.new(function() return 1 end)
         for i = 1, 8 do low[i], high[i] = least.next(), most.next() end
         least.reset()
         return json.encode({ low, high, least.next() })`,
      );
      expect(low.map(Math.floor)).toEqual([1, 1, 2, 3, 5, 7, 11, 15]);
      expect(high.map(Math.floor)).toEqual([2, 3, 4, 6, 10, 15, 22, 30]);
      expect(after).toBe(1);
    });
  });

  describe("link", () => {
    it.each([
      ["leaves a socket alone that sending found closed", "attempt to use a closed file", 0],
      ["closes a socket on which sending failed otherwise", "something new", 1],
    ])("%s", async (_name, problem, closes) => {
      const result = await lua.json(
        `local dialled, closes = nil, 0
         local dial = http.websocketAsync
         http.websocketAsync = function(url) dialled = url end
         local link = require("mcp.link").new({
           url = "ws://10.0.0.5:3001",
           hello = function() return "{}" end,
           on_lost = function() end,
         })
         link.start()
         http.websocketAsync = dial
         link.handle("websocket_success", dialled, {
           send = function() error("${problem}", 0) end,
           close = function() closes = closes + 1 end,
         })
         local state = link.state
         link.stop()
         return json.encode({ state, closes })`,
      );
      expect(result).toEqual(["waiting", closes]);
    });
  });

  describe("preempt", () => {
    it("reads the clock often where calls are slow, and rarely where they are not", async () => {
      const result = await lua.json(
        `local time, looks, real = 0, 0, os.epoch
         os.epoch = function() looks = looks + 1 return time end
         package.loaded["mcp.preempt"], package.loaded["mcp.clock"] = nil, nil
         local preempt = require("mcp.preempt")
         os.epoch = real
         local task = { clock = { started = 0, slice = 100 }, slice_started = 0 }
         local function heavy() for i = 1, 5000 do time = time + 40 end end
         task.co = coroutine.create(function()
           heavy()
           coroutine.yield("began")
           looks = 0
           for i = 1, 100000 do end
           coroutine.yield(looks)
           heavy()
         end)
         task.chain = { task.co }
         preempt.guard(task, task.co)
         local turns, marks = {}, {}
         repeat
           local before = time
           task.clock.started = preempt.now()
           task.slice_started = task.clock.started
           local _, value = coroutine.resume(task.co)
           turns[#turns + 1] = time - before
           if value ~= preempt.PREEMPTED then marks[#marks + 1] = { #turns, value } end
         until coroutine.status(task.co) == "dead"
         package.loaded["mcp.preempt"], package.loaded["mcp.clock"] = nil, nil
         local at_first = math.max(table.unpack(turns, 1, marks[1][1]))
         local settled = math.max(table.unpack(turns, marks[2][1] + 4))
         return json.encode({ at_first, marks[2][2], settled })`,
      );
      const [atFirst, looks, settled] = result as [number, number, number];
      expect(atFirst).toBeLessThan(1_500);
      expect(settled).toBeLessThan(1_500);
      expect(looks).toBeLessThan(450);
    });
  });

  describe("output buffer", () => {
    it("is whole wherever the code that fills it is pre-empted or cancelled", async () => {
      const broken = await lua.run(
        `local preempt, output = require("mcp.preempt"), require("mcp.output")
         local broken = 0
         local function fill(offset, cancel)
           local buffer = output.new_buffer()
           local task = { clock = { started = preempt.now(), slice = 0 }, slice_started = 0 }
           task.co = coroutine.create(function()
             for i = 1, offset do end
             for i = 1, 40 do buffer.append(string.rep("x", 255) .. "\\n") end
           end)
           task.chain = { task.co }
           preempt.guard(task, task.co)
           local text = ""
           repeat
             coroutine.resume(task.co)
             local ok, more = pcall(buffer.from, #text)
             if not ok or text .. more ~= (string.rep("x", 255) .. "\\n"):rep(buffer.total / 256) then
               broken = broken + 1
               return
             end
             text, task.cancelled = text .. more, cancel
           until coroutine.status(task.co) == "dead"
         end
         for offset = 0, 1000, 5 do
           fill(offset, false)
           fill(offset, true)
           if offset % 50 == 0 then os.queueEvent("on") os.pullEvent("on") end
         end
         return tostring(broken)`,
      );
      expect(broken).toBe("0");
    });

    it("keeps the end of what was written and counts the rest", async () => {
      const result = await lua.json(
        `local buffer = require("mcp.output").new_buffer()
         for i = 1, 15000 do buffer.append(string.format("%099d\\n", i)) end
         local text, lost = buffer.from(0)
         local rest = buffer.from(buffer.total - 10)
         local some = buffer.from(buffer.total - 110, 10)
         return json.encode({ buffer.total, #text, lost, some, rest, (buffer.from(buffer.total)) })`,
      );
      expect(result).toEqual([1_500_000, 1_048_576, 451_424, "000014999\n", "000015000\n", ""]);
    });
  });

  describe("explain", () => {
    it.each([
      ["Domain not permitted", "not-permitted", false],
      ["Unknown host", "unknown-host", false],
      ["URL malformed", "bad-url", true],
      ["Invalid scheme 'ftp'", "bad-url", true],
      ["Could not connect", "refused", false],
      ["Connection refused", "refused", false],
      ["Timed out", "timeout", false],
      ["Could not create a secure connection", "tls", false],
      ["Invalid handshake response getStatus: 404 Not Found", "handshake", false],
      ["Cannot upgrade to WebSocket connection: Not Found", "handshake", false],
      ["The server does not understand the WebSocket protocol", "handshake", false],
      ["Websocket connections are disabled", "no-websocket", true],
      ["Too many websockets already open", "too-many-websockets", false],
      ["Message is too large", "too-big", false],
      ["something new", "other", false],
    ])("knows %s", async (text, kind, fatal) => {
      const failure = await lua.json<{ kind: string; fatal: boolean; remedy: string[] }>(
        `return json.encode(require("mcp.explain").failure("${text}", "ws://10.0.0.5:3001"))`,
      );
      expect(failure).toMatchObject({ kind, fatal });
      expect(failure.remedy.length).toBeGreaterThan(0);
    });

    it.each([
      ["{ close = 1001, message = 'the bridge is shutting down' }", "closed"],
      ["{ close = 1006, message = 'Payload too big' }", "too-big"],
      ["{ close = 1011, message = 'something new' }", "closed"],
      ["{ close = 4401, message = 'Timed out' }", "unauthorized"],
      ["{ message = 'Connection closed' }", "closed"],
      ["{ message = 'something new' }", "other"],
    ])("knows the close %s", async (reason, kind) => {
      const code = `return require("mcp.explain").failure(${reason}, "ws://10.0.0.5:3001").kind`;
      expect(await lua.run(code)).toBe(kind);
    });

    it("shows nothing of an address that may be secret", async () => {
      const failure = await lua.json<{ detail: string }>(
        `local url = "ws://me:pw@host:3001/link?token=abc"
         return json.encode(require("mcp.explain").failure("no " .. url .. ", not " .. url, url))`,
      );
      expect(failure.detail).toBe(texts.noWsHostLinkNot);
    });

    it("shows nothing of foreign text but one plain line", async () => {
      expect(
        await lua.run(String.raw`return require("mcp.brief").one_line("a\nb\27[31mc\255")`),
      ).toBe("a b [31mc ");
    });
  });

  describe("arguments.normalize_url", () => {
    it.each([
      ["ws://host:3001", "ws://host:3001"],
      ["http://host:3001", "ws://host:3001"],
      ["https://host/link", "wss://host/link"],
      ["host:3001", "ws://host:3001"],
      ["ws://host:3001#x", "ws://host:3001"],
    ])("makes %s to %s", async (typed, url) => {
      expect(await lua.run(`return require("mcp.arguments").normalize_url("${typed}")`)).toBe(url);
    });
  });
});
