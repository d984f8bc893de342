import { McpClient } from "../harness/mcp-client.js";
import { interleave, type Measure } from "../harness/measure.js";
import { program, startBridge, startComputers, startServer, stop } from "../harness/processes.js";
import { code } from "../peers/frames.js";

const IN_FLIGHT = 32;
const WARM_UP = 6_000;
const ROUNDS = 20;
const CALLS = 1_500;

/** Many calls at once. The floor has no computer to ask: its tool answers by itself. */
export const throughput: Measure = {
  id: "b",
  title: `exec-lua, ${IN_FLIGHT} in flight`,
  unit: "calls/s",
  bound: { atLeast: 0.8 },
  async run() {
    const bridge = await startBridge();
    const computers = await startComputers(bridge.linkUrl, 1);
    const floor = await startServer(program("mcp-server"));

    const args = { computerId: 0, code };
    // Each round has a session of its own: the SDK's transport keeps something of every call until
    // its session ends, and grows slower with it.
    const viaBridge = (calls: number) =>
      McpClient.session(bridge.port, IN_FLIGHT, (client) =>
        callsPerSecond(calls, () => client.call("exec-lua", args)),
      );
    const viaFloor = (calls: number) =>
      McpClient.session(floor.port, IN_FLIGHT, (client) =>
        callsPerSecond(calls, () => client.call("no-op", args)),
      );
    await viaBridge(WARM_UP);
    await viaFloor(WARM_UP);
    const rounds = await interleave(ROUNDS, {
      bridge: () => viaBridge(CALLS),
      floor: () => viaFloor(CALLS),
    });

    await stop(computers, bridge.child, floor.child);
    return rounds;
  },
};

async function callsPerSecond(calls: number, call: () => Promise<unknown>): Promise<number> {
  let left = calls;
  const worker = async () => {
    while (left-- > 0) await call();
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return (calls / (performance.now() - startedAt)) * 1_000;
}
