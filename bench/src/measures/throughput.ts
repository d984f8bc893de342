import { setTimeout as sleep } from "node:timers/promises";
import { cpuMs } from "../harness/cpu.js";
import { McpClient } from "../harness/mcp-client.js";
import { interleave, type Measure, type Measured } from "../harness/measure.js";
import {
  program,
  type Server,
  startBridge,
  startComputers,
  startServer,
  stop,
} from "../harness/processes.js";
import { code } from "../peers/frames.js";

export const IN_FLIGHT = 32;
const WARM_UP = 6_000;
const LIVES = 3;
const ROUNDS = 16;

interface RateOptions extends Pick<Measure, "id" | "bound"> {
  title: string;
  /** Round robin: frames of one socket are batched, those of many are not. */
  computers: number;
  calls: number;
}

/** Concurrent calls. The floor's tool answers without a computer. */
function rate({ computers, calls, ...measure }: RateOptions): Measure {
  return {
    ...measure,
    title: `exec-lua, ${IN_FLIGHT} in flight, ${measure.title}`,
    unit: "calls/s",
    lives: LIVES,
    async run() {
      const bridge = await startBridge();
      const linked = await startComputers(bridge.linkUrl, computers);
      const floor = await startServer(program("mcp-server"));
      let next = 0;
      // One session per round: the SDK's transport keeps state of every call until its session
      // ends, and slows down.
      const via = (server: Server, tool: string) => (count: number) =>
        McpClient.session(server.port, IN_FLIGHT, (client) =>
          callsPerSecond(server, count, () => {
            next = (next + 1) % computers;
            return client.call(tool, { computerId: next, code });
          }),
        );
      const viaBridge = via(bridge, "exec-lua");
      const viaFloor = via(floor, "no-op");
      await viaBridge(WARM_UP);
      await viaFloor(WARM_UP);
      const rounds = await interleave(ROUNDS, {
        bridge: () => viaBridge(calls),
        floor: () => viaFloor(calls),
      });

      await stop(linked, bridge.child, floor.child);
      return rounds;
    },
  };
}

export const throughput = rate({
  ...{ id: "b", title: "1 computer", bound: { atLeast: 1.3 } },
  ...{ computers: 1, calls: 1_500 },
});

export const spread = rate({
  ...{ id: "f", title: "32 computers", bound: { atLeast: 1.2 } },
  ...{ computers: 32, calls: 1_500 },
});

export const crowd = rate({
  ...{ id: "g", title: "1000 computers, one call each", bound: { atLeast: 1.15 } },
  ...{ computers: 1_000, calls: 1_000 },
});

/** `restMs` later, what was put off until then counts as CPU time too. */
export async function callsPerSecond(
  { child }: Server,
  calls: number,
  call: () => Promise<unknown>,
  restMs = 0,
): Promise<Measured> {
  let left = calls;
  const worker = async () => {
    while (left-- > 0) await call();
  };
  const cpuBefore = cpuMs(child);
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  const value = (calls / (performance.now() - startedAt)) * 1_000;
  if (restMs > 0) await sleep(restMs);
  const cpuAfter = cpuMs(child);
  if (cpuBefore === undefined || cpuAfter === undefined) return { value };
  return { value, cpuMicros: ((cpuAfter - cpuBefore) / calls) * 1_000 };
}
