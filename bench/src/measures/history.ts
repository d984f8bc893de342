// The bridge with its history in a file, against itself without one.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { McpClient } from "../harness/mcp-client.js";
import { interleave, type Measure, type Measured, type Round } from "../harness/measure.js";
import { type Server, startBridge, startComputers, stop } from "../harness/processes.js";
import { median, timeEach } from "../harness/stats.js";
import { code } from "../peers/frames.js";
import { callsPerSecond, IN_FLIGHT } from "./throughput.js";

/** A separate history file, and what removes it. */
export function scratchHistory(): { env: Record<string, string>; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "ccbridge-bench-"));
  return {
    env: { CC_HISTORY: "on", CC_HISTORY_FILE: join(folder, "history.db") },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

interface Compared {
  readonly computers: number;
  readonly rounds: number;
  warmUp(server: Server): Promise<unknown>;
  side(server: Server): () => Promise<Measured>;
}

async function compare({ computers, rounds, warmUp, side }: Compared): Promise<Round[]> {
  const { env, remove } = scratchHistory();
  const kept = await startBridge(env);
  const forgetful = await startBridge();
  const linked = [
    await startComputers(kept.linkUrl, computers),
    await startComputers(forgetful.linkUrl, computers),
  ];
  const sides = { bridge: side(kept), floor: side(forgetful) };
  for (const server of [kept, forgetful]) await warmUp(server);
  await sleep(REST_MS);
  const results = await interleave(rounds, sides);
  await stop(...linked, kept.child, forgetful.child);
  remove();
  return results;
}

/** After a round rows go into their tables: that must not take the time of the other side. */
const REST_MS = 1_000;
const COMPUTERS = 32;
const CALLS = 1_500;
/** V8 takes this long until it has optimized all of the bridge, and what keeps the history is more code. */
const WARM_UP = 15_000;

export const historyRate: Measure = {
  id: "h",
  title: "exec-lua, 32 in flight, with the history in a file",
  unit: "calls/s",
  bound: { atLeast: 0.95 },
  lives: 3,
  run() {
    let next = 0;
    const calls = (server: Server, count: number, restMs: number) =>
      McpClient.session(server.port, IN_FLIGHT, (client) =>
        callsPerSecond(
          server,
          count,
          () => {
            next = (next + 1) % COMPUTERS;
            return client.call("exec-lua", { computerId: next, code });
          },
          restMs,
        ),
      );
    return compare({
      computers: COMPUTERS,
      rounds: 16,
      warmUp: (server) => calls(server, WARM_UP, 0),
      side: (server) => () => calls(server, CALLS, REST_MS),
    });
  },
};

export const historyLatency: Measure = {
  id: "i",
  title: "exec-lua, one at a time, p50, with the history in a file",
  unit: "ms",
  bound: { atMost: 1.05 },
  lives: 2,
  run() {
    const calls = (server: Server, count: number) =>
      McpClient.session(server.port, 1, async (client) => {
        const call = () => client.call("exec-lua", { computerId: 0, code });
        return { value: median(await timeEach(count, call)) };
      });
    return compare({
      computers: 1,
      rounds: 40,
      warmUp: (server) => calls(server, WARM_UP),
      side: (server) => () => calls(server, 200),
    });
  },
};
