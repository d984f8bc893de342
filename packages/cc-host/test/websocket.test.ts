import { expect, it } from "vitest";
import { allowAll } from "../src/index.js";
import { install, newWorld, rawServer, reported, run, socketServer, webServer } from "./helpers.js";

async function computerWith(version = "1.113.1") {
  const world = await newWorld({ httpRules: allowAll, version });
  return world.computer();
}

it("should close without a frame and without an event, and throw afterwards", async () => {
  let closeCode = 0;
  const { url } = await socketServer((socket) => {
    socket.on("close", (code) => {
      closeCode = code;
    });
  });
  const computer = await computerWith();
  await run(
    computer,
    `local ws = http.websocket("${url}")
     ws.close() ws.close()
     report(pcall(ws.send, "x")) report(pcall(ws.receive))
     os.startTimer(1)
     report(os.pullEvent())`,
  );
  await computer.until(() => closeCode !== 0);
  expect(closeCode).toBe(1006);
  expect(reported(computer).slice(0, 2)).toEqual([
    "false|attempt to use a closed file",
    "false|attempt to use a closed file",
  ]);
  expect(reported(computer).join()).not.toContain("websocket_closed");
  expect(computer.stats.websocketsOpen).toBe(0);
});

it("should refuse messages over 131072 bytes each way", async () => {
  const closeCodes: number[] = [];
  const { url } = await socketServer((socket) => {
    socket.on("close", (code) => closeCodes.push(code));
    socket.on("message", (data) => {
      if (String(data) === "big") socket.send("x".repeat(131_073));
      else socket.send(`${String(data).length}`);
    });
  });
  const computer = await computerWith();
  await run(
    computer,
    `local ws = http.websocket("${url}")
     report(select(2, pcall(ws.send, ("x"):rep(131073))))
     ws.send(("x"):rep(131072))
     report(ws.receive())
     ws.send("big")
     local e = table.pack(os.pullEvent("websocket_closed"))
     report(e[3], e[4])`,
  );
  await computer.until(() => reported(computer).length === 3);
  expect(reported(computer)).toEqual([
    "Message is too large",
    "131072|false",
    "Could not connect|nil",
  ]);
  await computer.until(() => closeCodes.length === 1);
  expect(closeCodes).toEqual([1_009]);
});

it("should fail with the game's texts", async () => {
  const port = await rawServer((socket) => socket.destroy());
  const silent = await rawServer(() => {});
  const forbidden = await webServer((_, response) => response.writeHead(403).end("no"));
  const computer = await computerWith();
  const program = `local function try(url, timeout)
       report(http.websocket(timeout and { url = url, timeout = timeout } or url))
     end
     try("http://127.0.0.1:1/") try("ws://no-such-host.invalid/") try("ws://127.0.0.1:1/")
     try("ws://127.0.0.1:${port}/") try("ws://127.0.0.1:${silent}/", 0.1) try("ws://") try("${forbidden.replace("http", "ws")}")
     try("wss://127.0.0.1:${port}/")
     report(pcall(http.websocket, { url = "ws://x", timeout = 61 }))`;
  await run(computer, program);
  await computer.until(() => reported(computer).length === 9);
  expect(reported(computer)).toEqual([
    "false|Invalid scheme 'http'",
    "false|Unknown host",
    "false|Could not connect",
    "false|Could not connect",
    "false|Timed out",
    "false|URL malformed",
    "false|Invalid handshake response getStatus: 403 Forbidden",
    expect.stringMatching(/^false\|Could not (connect|create a secure connection)$/),
    expect.stringContaining("timeout out of range (61)"),
  ]);
});

it("should deny private hosts by default and follow the rules in order", async () => {
  const { url } = await socketServer();
  const world = await newWorld();
  const computer = world.computer();
  const program = `report(http.websocket("${url}")) report(http.websocket("${url.replace("127.0.0.1", "localhost")}"))`;
  await run(computer, program);
  await computer.until(() => reported(computer).length === 2);
  expect(reported(computer)).toEqual(["false|Domain not permitted", "false|Domain not permitted"]);

  const port = Number(new URL(url).port);
  world.httpRules = [{ host: "127.0.0.1", port, action: "allow" }, ...world.httpRules];
  await run(
    computer,
    `report(type(http.websocket("${url}"))) report(http.checkURL("http://127.0.0.1:1/"))`,
  );
  await computer.until(() => reported(computer).length === 2);
  expect(reported(computer)).toEqual(["table", "false|Domain not permitted"]);
});

it("should know the table form only from 1.105 on", async () => {
  const { url } = await socketServer();
  const program = `report(pcall(http.websocket, { url = "${url}" }))`;
  const old = await computerWith("1.104.0");
  await run(old, program);
  expect(reported(old)[0]).toContain("bad argument #1");
  const recent = await computerWith("1.105.0");
  await run(recent, program);
  await recent.until(() => reported(recent).length === 1);
  expect(reported(recent)[0]).toMatch(/^true\|table/);
});

it("should close a socket whose handle has become garbage, without an event", async () => {
  let closed = false;
  const { url } = await socketServer((socket) => {
    socket.on("close", () => {
      closed = true;
    });
  });
  const computer = await computerWith();
  await run(
    computer,
    `(function() http.websocket("${url}") end)()
     report("lost")
     report(os.pullEvent("websocket_closed"))`,
  );
  await computer.until(() => reported(computer).length === 1);
  computer.queueEvent("other");
  await computer.idle();
  computer.collectGarbage();
  await computer.until(() => closed);
  expect(reported(computer)).toEqual(["lost"]);
  expect(computer.stats.websocketsOpen).toBe(0);
});

it("should drop messages of a burst that the queue cannot hold", async () => {
  const { url } = await socketServer((socket) => {
    socket.on("message", () => {
      for (let index = 0; index < 1_000; index++) socket.send(`${index}`);
      socket.send("end");
    });
  });
  const computer = await computerWith();
  await run(
    computer,
    `local ws = http.websocket("${url}")
     ws.send("go")
     local count = 0
     while true do
       local e = os.pullEvent()
       if e == "websocket_message" then count = count + 1 elseif e == "stop" then break end
     end
     report(count)`,
  );
  await computer.until(() => computer.stats.eventsDropped > 0);
  computer.queueEvent("stop");
  await computer.until(() => reported(computer).length === 1 || computer.queueEvent("stop"));
  await computer.idle();
  expect(Number(reported(computer)[0])).toBeLessThan(1_000);
});

it("should leave a stale timer behind receive before 1.114", async () => {
  const { url } = await socketServer((socket) => socket.on("message", () => socket.send("x")));
  const timers = async (version: string) => {
    const computer = await computerWith(version);
    install(
      computer,
      `local ws = http.websocket("${url}") for i = 1, 3 do ws.send("x") ws.receive(30) end report("ok") os.pullEvent("never")`,
      "/startup.lua",
    );
    computer.turnOn();
    await computer.until(() => reported(computer).length === 1);
    return computer.stats.timersActive;
  };
  expect(await timers("1.113.1")).toBe(3);
  expect(await timers("1.114.0")).toBe(0);
});

it("should throw when websockets are disabled and for invalid headers", async () => {
  const world = await newWorld({ httpRules: allowAll });
  const computer = world.computer({ websockets: false });
  expect(await run(computer, 'report(pcall(http.websocket, "ws://127.0.0.1/"))')).toEqual([
    expect.stringContaining("Websocket connections are disabled"),
  ]);
  const other = world.computer();
  expect(
    await run(other, 'report(pcall(http.websocketAsync, "ws://127.0.0.1:1/", { X = "a\\nb" }))'),
  ).toEqual([expect.stringContaining("Invalid header: X")]);
});
