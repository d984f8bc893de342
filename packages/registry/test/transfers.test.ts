import { expect, it } from "vitest";
import { connectAgent, createRegistry, v2 } from "./harness.js";

it("unfinished transfers that fill the memory make way for those of other computers", () => {
  const registry = createRegistry({ maxTransferBytes: 2_200 });
  const link = (computerId: number) => {
    const agent = connectAgent(registry);
    agent.hello(computerId, { ...v2, instance: `i${computerId}` });
    const chunk = (transfer: string, index: number, data: string) =>
      agent.say({ type: "chunk", transfer, index, count: 2, data });
    return { ...agent, chunk };
  };
  const [greedy, modest] = [link(1), link(2)];
  for (const transfer of ["a", "b", "c"]) greedy.chunk(transfer, 0, "x".repeat(300));
  const response = JSON.stringify({ type: "response", id: "r", ok: true, result: "x".repeat(300) });
  const half = response.length >> 1;
  modest.chunk("t", 0, response.slice(0, half));
  expect(registry.computers.transfers.held(greedy.link)).toBe(0);
  modest.chunk("t", 1, response.slice(half));
  expect(registry.reported.at(-1)).toMatchObject({ topic: "debug" });
  expect(registry.computers.transfers.total).toBe(0);
  modest.chunk("t", 0, "x".repeat(400));
  greedy.chunk("d", 0, "x".repeat(700));
  expect(registry.reported.at(-1)).toMatchObject({
    reason: expect.stringContaining("no memory left"),
  });
  expect(registry.computers.transfers.held(modest.link)).toBe(864);
});
