// `pnpm soak --minutes 10`: many computers, random drops, a bridge that is killed regularly, and
// checked answers. Fails when a call was lost, crossed or run twice, or when the bridge grows with
// every call.
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ask, freePort, heapOf, startProgram } from "../harness/processes.js";
import { type Counts, runCaller } from "./caller.js";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    computers: { type: "string", default: "200" },
    clients: { type: "string", default: "32" },
    "drops-per-minute": { type: "string", default: "120" },
    "kill-seconds": { type: "string", default: "25" },
  },
});

/** Bytes per call: less than one leaked object, more than the noise of a collection. */
const MAX_GROWTH = 32;
const ENOUGH_CALLS = 20_000;
const FILL = 8;

const totalMs = Number(values.minutes) * 60_000;
const lifeMs = Math.min(Number(values["kill-seconds"]) * 1_000, totalMs / 3);
const computers = Number(values.computers);
const [mcpPort, linkPort] = [await freePort(), await freePort()];
const counts: Counts = {
  calls: 0,
  right: 0,
  refused: 0,
  dropped: 0,
  broken: 0,
  lost: 0,
  crossed: 0,
};
const doubtful: string[] = [];
let kills = 0;
let over = false;

const startBridge = async () =>
  (
    await startProgram("soak-bridge", [String(mcpPort), String(linkPort)], {
      execArgv: ["--expose-gc"],
    })
  ).child;

let bridge = await startBridge();
const { child: peers } = await startProgram("soak-computers", [
  `ws://127.0.0.1:${linkPort}`,
  values.computers,
  values["drops-per-minute"],
]);
await sleep(2_000);
const callers = Array.from({ length: Number(values.clients) }, () =>
  runCaller({
    port: mcpPort,
    computers,
    counts,
    doubt: (nonce) => doubtful.push(nonce),
    kills: () => kills,
    over: () => over,
  }),
);

const startedAt = performance.now();
const leftMs = () => totalMs - (performance.now() - startedAt);
while (leftMs() > 2 * lifeMs) {
  await sleep(lifeMs);
  kills += 1;
  bridge.kill("SIGKILL");
  await once(bridge, "exit");
  bridge = await startBridge();
  process.stderr.write(`${Math.round(leftMs() / 1_000)} s left: ${JSON.stringify(counts)}\n`);
}

// Growth is measured in the last run, once the job history is full.
const bornAt = counts.calls;
await sleep(leftMs() / 3);
while (counts.calls - bornAt < FILL * computers && leftMs() > 0) await sleep(100);
const before = { heap: await heapOf(bridge), calls: counts.calls };
await sleep(Math.max(0, leftMs()));
over = true;
await Promise.all(callers);
const measured = counts.calls - before.calls;
const growth = ((await heapOf(bridge)) - before.heap) / measured;
// Too few calls drown in the noise of a collection.
const isGrowing = measured >= ENOUGH_CALLS && growth > MAX_GROWTH;
const { ran, doubled, drops, lost = 0 } = await ask(peers, { doubtful });
counts.lost += lost;
counts.dropped = doubtful.length - lost;

const summary = {
  ...counts,
  doubled,
  ran,
  drops,
  kills,
  growthBytesPerCall: measured < ENOUGH_CALLS ? null : Math.round(growth * 10) / 10,
  growthMeasuredOver: measured,
};
console.table(summary);
console.log(JSON.stringify(summary));
process.exit(counts.lost + counts.crossed + (doubled ?? 0) > 0 || isGrowing ? 1 : 0);
