import { expect, it } from "vitest";
import { heldBytes } from "../helpers/abuse.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { type HostileComputer, linkHostile, result } from "../helpers/hostile-computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

const HOSTILE_MS = 30_000;
const MAX_GROWTH = 2 * 134_217_728;

function flood(computer: HostileComputer, round: number, jobs: readonly string[]): void {
  const text = "x".repeat(100_000);
  for (const id of jobs) computer.send({ type: "output", id, seq: round, text });
  for (let seq = 0; seq < 20; seq++) {
    computer.send({ type: "event", seq: round * 20 + seq, name: `n${seq}`, args: [text] });
  }
  computer.send({
    type: "tools",
    tools: [{ name: `t${round}`, description: text.slice(0, 4_000) }],
  });
  computer.send({ type: "response", id: `nobody-${round}`, ok: true, result: { returns: [text] } });
  computer.send({ type: "chunk", transfer: `never-${round}`, index: 0, count: 9, data: text });
}

it("a hostile computer costs the bridge bounded memory, and others nothing", async () => {
  const bridge = await startTestBridge();
  await linkComputer(bridge.linkUrl, { computerId: 1 });
  const client = await connectClient(bridge.mcpUrl);
  const call = () => callTool(client, "exec-lua", { computerId: 1, code: "1 + 1", waitMs: 20_000 });
  await call();
  const before = await heldBytes();
  const end = performance.now() + HOSTILE_MS;
  let calls = 0;
  const good = (async () => {
    while (performance.now() < end) {
      const { isError, text } = await call();
      expect(isError, text).not.toBe(true);
      calls += 1;
    }
  })();
  for (let life = 0; performance.now() < end; life++) {
    const jobs = Array.from({ length: 64 }, (_, i) => `job-${life}-${i}`);
    const hello = { computerId: 2, instance: `life-${life}`, jobs };
    const computer = await linkHostile(bridge.linkUrl, hello, ({ id }) =>
      computer.send(result(id, 1)),
    );
    for (let round = 0; round < 3 && performance.now() < end; round++) {
      flood(computer, round, jobs);
      await computer.sent();
    }
    computer.terminate();
    await computer.closed;
  }
  await good;
  expect(calls).toBeGreaterThan(5);
  expect((await heldBytes()) - before).toBeLessThan(MAX_GROWTH);
});
