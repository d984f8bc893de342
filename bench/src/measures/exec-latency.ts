import { once } from "node:events";
import { WebSocket } from "ws";
import { McpClient } from "../harness/mcp-client.js";
import { interleave, type Measure } from "../harness/measure.js";
import {
  program,
  startBridge,
  startComputers,
  startProgram,
  startServer,
  stop,
} from "../harness/processes.js";
import { median, timeEach } from "../harness/stats.js";
import { code, execRequest } from "../peers/frames.js";

/** The bridge has more code than the floor, so V8 optimizes it for longer. */
const WARM_UP = 10_000;
const LIVES = 2;
const ROUNDS = 40;
const CALLS = 100;

export const execLatency: Measure = {
  id: "a",
  title: "exec-lua, one at a time, p50",
  unit: "ms",
  bound: { atMost: 1.1 },
  lives: LIVES,
  async run() {
    const bridge = await startBridge();
    const computers = await startComputers(bridge.linkUrl, 1);
    const floor = await startServer(program("mcp-server"));
    const echo = await startProgram("ws-echo");
    const socket = new WebSocket(`ws://127.0.0.1:${echo.reported.port}`, {
      perMessageDeflate: false,
    });
    await once(socket, "open");
    let answered = () => {};
    socket.on("message", () => answered());

    const args = { computerId: 0, code };
    const frame = JSON.stringify(execRequest("a1b2c3-1000"));
    // One session per round: the SDK's transport keeps state of every call until its session ends,
    // and slows down.
    const viaBridge = (calls: number) =>
      McpClient.session(bridge.port, 1, (client) =>
        timeEach(calls, () => client.call("exec-lua", args)),
      );
    const viaFloor = (calls: number) =>
      McpClient.session(floor.port, 1, (client) =>
        timeEach(calls, () => client.call("no-op", args)),
      );
    const viaEcho = (calls: number) =>
      timeEach(
        calls,
        () =>
          new Promise<void>((resolve) => {
            answered = resolve;
            socket.send(frame);
          }),
      );

    for (const via of [viaBridge, viaFloor, viaEcho]) await via(WARM_UP);
    const rounds = await interleave(ROUNDS, {
      bridge: async () => ({ value: median(await viaBridge(CALLS)) }),
      floor: async () => ({
        value: median(await viaFloor(CALLS)) + median(await viaEcho(CALLS)),
      }),
    });

    socket.terminate();
    await stop(computers, bridge.child, floor.child, echo.child);
    return rounds;
  },
};
