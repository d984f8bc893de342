import { interleave, type Measure, type Measured } from "../harness/measure.js";
import { heapOf, startComputers, startProgram, stop } from "../harness/processes.js";

const COMPUTERS = 10_000;
const WARM_UP = 200;
const ROUNDS = 2;

export const heap: Measure = {
  id: "d",
  title: `heap per idle link, ${COMPUTERS} linked`,
  unit: "bytes",
  bound: { atMost: 1.4 },
  run: () =>
    interleave(ROUNDS, {
      bridge: () => heapPerLink("bridge-heap"),
      floor: () => heapPerLink("ws-server"),
    }),
};

async function heapPerLink(server: string): Promise<Measured> {
  const { child, reported } = await startProgram(server, [], {
    env: { CC_MAX_LINKS: String(COMPUTERS) },
    execArgv: ["--expose-gc"],
  });
  const url = `ws://127.0.0.1:${reported.port}`;
  // Warm-up links, so that compiled code is not counted.
  await stop(await startComputers(url, WARM_UP));
  const before = await heapOf(child);
  const computers = await startComputers(url, COMPUTERS);
  const after = await heapOf(child);
  await stop(computers, child);
  return { value: (after - before) / COMPUTERS };
}
