import { expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

const COMPUTERS = 1_000;
const CALLS = 10_000;
const IN_FLIGHT = 200;

/** Seeded, so that a failure can be reproduced. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

it(`answers ${CALLS} calls to ${COMPUTERS} computers that drop at random, none lost, none crossed`, async () => {
  const bridge = await startTestBridge({ maxLinks: COMPUTERS + 10 });
  const next = random(42);
  // Each computer answers with its id, so that a misdirected answer is noticed.
  const connect = (computerId: number) =>
    linkComputer(bridge.linkUrl, {
      computerId,
      programs: {
        who: async () => {
          await new Promise((resolve) => setImmediate(resolve));
          return [{ type: "number", value: computerId }];
        },
      },
    });
  const computers = new Map<number, Awaited<ReturnType<typeof connect>>>();
  for (let id = 0; id < COMPUTERS; id += 100) {
    const batch = Array.from({ length: 100 }, (_, i) => id + i);
    await Promise.all(batch.map(async (each) => computers.set(each, await connect(each))));
  }
  expect(bridge.registry.size).toBe(COMPUTERS);

  const clients = await Promise.all(Array.from({ length: 4 }, () => connectClient(bridge.mcpUrl)));
  const counts = { right: 0, wrong: 0, dropped: 0, other: 0 };
  const reconnects: Promise<unknown>[] = [];
  let started = 0;
  const worker = async (index: number) => {
    const client = clients[index % clients.length];
    if (client === undefined) throw new Error("no client");
    while (started < CALLS) {
      started += 1;
      const computerId = Math.floor(next() * COMPUTERS);
      if (next() < 0.02) {
        computers.get(computerId)?.socket.terminate();
        const back = connect(computerId).then((computer) => computers.set(computerId, computer));
        reconnects.push(back);
      }
      const result = await callTool(client, "exec-lua", { computerId, code: "who" });
      const answer = result.structuredContent as
        | { returns: { value?: unknown }[]; error?: { code: string } }
        | undefined;
      const code = /is not linked|is away/.test(result.text) ? "not-linked" : answer?.error?.code;
      if (code === undefined && answer?.returns[0]?.value === computerId) counts.right += 1;
      else if (code === undefined) counts.wrong += 1;
      else if (["lost", "not-linked"].includes(code)) counts.dropped += 1;
      else counts.other += 1;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, index) => worker(index)));
  await Promise.all(reconnects);

  expect(counts).toMatchObject({ wrong: 0, other: 0 });
  expect(counts.right + counts.dropped).toBe(CALLS);
  expect(counts.right).toBeGreaterThan(CALLS * 0.9);
  for (const link of bridge.computers.list()) expect(link.runningRequests).toBe(0);
}, 600_000);
