import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { McpClient } from "../harness/mcp-client.js";
import type { Measure } from "../harness/measure.js";
import { ask, startBridge, startProgram, stop } from "../harness/processes.js";
import { scratchHistory } from "./history.js";

const COMPUTERS = 50;
const PER_SECOND = 1_000;
const SECONDS = 60;
/** What came later than this before the kill may be missing, and then a reader is notified. */
const BATCH_MS = 1_100;

/** A bridge is killed after a minute of events; the next one reads what is there. */
export const keptEvents: Measure = {
  id: "j",
  title: `${PER_SECOND} events a second for a minute, kept after kill -9`,
  unit: "events",
  bound: { atLeast: 1 },
  async run() {
    const history = scratchHistory();
    const bridge = await startBridge(history.env);
    const { child: computers } = await startProgram("event-computers", [
      bridge.linkUrl,
      String(COMPUTERS),
      String(PER_SECOND / COMPUTERS),
    ]);
    await sleep(SECONDS * 1_000 + Math.random() * 2_000);
    const due = await ask(computers, "sent");
    await sleep(BATCH_MS);
    bridge.child.kill("SIGKILL");
    await once(bridge.child, "exit");
    await stop(computers);

    const again = await startBridge(history.env);
    const client = await McpClient.connect(again.port, 1);
    const kept = { value: 0 };
    const floor = { value: 0 };
    for (let id = 0; id < COMPUTERS; id++) {
      const sent = due[id] ?? 0;
      floor.value += sent;
      kept.value += Math.min(sent, await countKept(client, id));
    }
    if (floor.value < PER_SECOND * SECONDS * 0.98) throw new Error(`only ${floor.value} were sent`);
    await client.close();
    await stop(again.child);
    history.remove();
    return [{ bridge: kept, floor }];
  },
};

/** How many events are there from the first on, all in order; throws when that is not reported to end there. */
async function countKept(client: McpClient, computerId: number): Promise<number> {
  let kept = 0;
  let isReported = false;
  for (let cursor = 0; ; ) {
    const body = await client.call("get-events", { computerId, cursor, limit: 200, name: "tick" });
    const { result } = JSON.parse(body.slice(body.indexOf("{")));
    const { text } = result.content[0] as { text: string };
    const ticks = [...text.matchAll(/^#\d+ \S+ tick (\d+)/gm)];
    for (const [, n] of ticks) {
      if (Number(n) !== kept) throw new Error(`computer ${computerId}: ${n} instead of ${kept}`);
      kept += 1;
    }
    isReported ||= text.includes("may be missing");
    const next = /"cursor":(\d+)/.exec(text)?.[1];
    if (ticks.length === 0 || next === undefined) break;
    cursor = Number(next);
  }
  if (!isReported) throw new Error(`computer ${computerId}: nothing is reported as missing`);
  return kept;
}
