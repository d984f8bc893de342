import { connect } from "node:net";
import { expect, it } from "vitest";
import { allowAll } from "../src/index.js";
import { newWorld, rawServer, reported, run, socketServer } from "./helpers.js";

/** A proxy with latency, as on a busy machine. */
async function slowWire(port: number, delayMs: number): Promise<number> {
  return rawServer((near) => {
    const far = connect(port, "127.0.0.1").on("error", () => {});
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (data) => void setTimeout(() => to.write(data), delayMs));
      from.on("close", () => to.destroy());
    }
  });
}

const portOf = (url: string) => Number(new URL(url).port);

it("should not let deadlines of the game pass while a message is under way", async () => {
  const { url } = await socketServer((socket) =>
    socket.on("message", (data) => socket.send(`answer to ${data}`)),
  );
  const world = await newWorld({ httpRules: allowAll });
  const computer = world.computer();
  await run(
    computer,
    `local ws = http.websocket("ws://127.0.0.1:${await slowWire(portOf(url), 60)}/")
     for i = 1, 5 do
       ws.send(tostring(i))
       report(ws.receive(2))
     end`,
  );
  await world.advanceUntil(() => reported(computer).length === 5);
  expect(reported(computer)).toEqual([1, 2, 3, 4, 5].map((i) => `answer to ${i}|false`));
});

it("should let what the other end sends arrive within a second of the game", async () => {
  const { url, server } = await socketServer();
  const world = await newWorld({ httpRules: allowAll });
  const computer = world.computer();
  await run(
    computer,
    `local ws = http.websocket("ws://127.0.0.1:${await slowWire(portOf(url), 60)}/")
     report("open")
     report(ws.receive(3))`,
  );
  await world.advanceUntil(() => reported(computer).length === 1);
  for (const client of server.clients) client.send("unasked");
  await world.advance(4_000);
  expect(reported(computer)[1]).toBe("unasked|false");
});

it("should pass time all the same when a wire swallows everything", async () => {
  let swallows = false;
  const { url, server } = await socketServer();
  const port = await rawServer((near) => {
    const far = connect(portOf(url), "127.0.0.1").on("error", () => {});
    near.on("data", (data) => void (swallows || far.write(data)));
    far.on("data", (data) => void (swallows || near.write(data)));
    near.on("close", () => far.destroy());
  });
  const world = await newWorld({ httpRules: allowAll });
  const computer = world.computer();
  await run(
    computer,
    `local ws = http.websocket("ws://127.0.0.1:${port}/")
     report("open")
     while true do ws.send("x") sleep(1) end`,
  );
  await world.advanceUntil(() => reported(computer).length === 1);
  expect(server.clients.size).toBe(1);
  swallows = true;
  const before = world.ticks;
  await world.advance(5_000);
  expect(world.ticks - before).toBe(100);
});
