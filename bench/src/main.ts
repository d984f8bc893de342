import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Result, runMeasure } from "./harness/measure.js";
import { table } from "./harness/report.js";
import { noNats, remoteCall, threeBridges, twoBridges } from "./measures/cluster.js";
import { dayOnDisk } from "./measures/day-on-disk.js";
import { execLatency } from "./measures/exec-latency.js";
import { heap } from "./measures/heap.js";
import { historyLatency, historyRate } from "./measures/history.js";
import { keptEvents } from "./measures/kept-events.js";
import { probe } from "./measures/probe.js";
import { startup } from "./measures/startup.js";
import { crowd, spread, throughput } from "./measures/throughput.js";

const { values } = parseArgs({
  options: {
    json: { type: "string" },
    only: { type: "string", default: "abcdefghijklmn" },
    "no-assert": { type: "boolean", default: false },
  },
});

const results: Result[] = [];
const calls = [execLatency, throughput, spread, crowd, probe, heap, startup];
const history = [historyRate, historyLatency, keptEvents, dayOnDisk];
const cluster = noNats === undefined ? [twoBridges, threeBridges, remoteCall] : [];
if (noNats !== undefined) process.stderr.write(`(l) to (n) are skipped: ${noNats}\n`);
for (const measure of [...calls, ...history, ...cluster]) {
  if (!values.only.includes(measure.id)) continue;
  process.stderr.write(`(${measure.id}) ${measure.title} ...\n`);
  results.push(await runMeasure(measure));
}

console.log(table(results));
const json = JSON.stringify({ node: process.version, results });
if (values.json === undefined) console.log(json);
else writeFileSync(values.json, `${json}\n`);
const missed = results.some(({ pass }) => !pass);
process.exit(missed && !values["no-assert"] ? 1 : 0);
