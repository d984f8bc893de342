// The bridge with its history in a file, against itself without one.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  readonly warmUp: number;
  readonly rounds: number;
  side(server: Server): () => Promise<Measured>;
}

async function compare({ computers, warmUp, rounds, side }: Compared): Promise<Round[]> {
  const { env, remove } = scratchHistory();
  const kept = await startBridge(env);
  const forgetful = await startBridge();
  const linked = [
    await startComputers(kept.linkUrl, computers),
    await startComputers(forgetful.linkUrl, computers),
  ];
  const sides = { bridge: side(kept), floor: side(forgetful) };
  await interleave(warmUp, sides);
  const results = await interleave(rounds, sides);
  await stop(...linked, kept.child, forgetful.child);
  remove();
  return results;
}

/** After a round rows go into their tables: that must not take the time of the other side. */
const REST_MS = 1_000;
const COMPUTERS = 32;
const CALLS = 1_500;

export const historyRate: Measure = {
  id: "h",
  title: "exec-lua, 32 in flight, with the history in a file",
  unit: "calls/s",
  bound: { atLeast: 0.95 },
  lives: 3,
  run() {
    let next = 0;
    const side = (server: Server) => () =>
      McpClient.session(server.port, IN_FLIGHT, (client) =>
        callsPerSecond(
          server,
          CALLS,
          () => {
            next = (next + 1) % COMPUTERS;
            return client.call("exec-lua", { computerId: next, code });
          },
          REST_MS,
        ),
      );
    return compare({ computers: COMPUTERS, warmUp: 5, rounds: 16, side });
  },
};

export const historyLatency: Measure = {
  id: "i",
  title: "exec-lua, one at a time, p50, with the history in a file",
  unit: "ms",
  bound: { atMost: 1.05 },
  lives: 2,
  run() {
    const side = (server: Server) => () =>
      McpClient.session(server.port, 1, async (client) => {
        const call = () => client.call("exec-lua", { computerId: 0, code });
        return { value: median(await timeEach(200, call)) };
      });
    return compare({ computers: 1, warmUp: 40, rounds: 40, side });
  },
};
