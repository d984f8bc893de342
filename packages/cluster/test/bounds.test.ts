import { createLocalPort, LinkError, type ProviderPort, Registry } from "@ccbridge/registry";
import { describe, expect, it, onTestFinished } from "vitest";
import { noNats, startNats } from "../src/testing.js";
import { link, seen, startBridge, startBridges, type TestBridge } from "./harness.js";

describe.skipIf(noNats !== undefined)(
  `what bridges send each other${noNats ? ` (${noNats})` : ""}`,
  () => {
    it("is bounded, and what was left out is reported", async () => {
      const [a, b] = await pair();
      const heard: unknown[] = [];
      const gaps: string[] = [];
      const stop = a.cluster.listen("test", {
        receive: (data) => heard.push(data),
        gap: (from) => gaps.push(from),
      });
      onTestFinished(stop);
      await expect
        .poll(() => {
          b.cluster.broadcast("test", "begin");
          return heard.length;
        })
        .toBeGreaterThan(0);
      for (let n = 0; n < 2_000; n++) b.cluster.broadcast("test", n);
      await expect.poll(() => gaps).toEqual([b.cluster.id]);
      expect(heard.length).toBeLessThan(600);
      b.cluster.broadcast("test", "end");
      await expect.poll(() => heard.at(-1)).toBe("end");
      expect(gaps).toHaveLength(1);
    });

    it("reports too many events as a gap, so that their log is read", async () => {
      const [a, b] = await pair();
      const computer = link(b, 1);
      await seen(a, computer.key);
      const names: (string | undefined)[] = [];
      const stop = await a.port.changes.subscribe(({ event }) => names.push(event), {
        topics: ["events"],
      });
      onTestFinished(stop);
      await expect
        .poll(() => {
          computer.event("begin");
          return names.length;
        })
        .toBeGreaterThan(0);
      for (let n = 0; n < 1_000; n++) computer.event("many");
      await expect.poll(() => names).toContain("");
      expect(names.length).toBeLessThan(500);
      const { end } = (await a.port.events.get(computer.key)) ?? { end: 0 };
      const { events } = await a.port.events.read(computer.key, { cursor: end - 200, limit: 200 });
      expect(events.map(({ name }) => name)).toEqual(Array(200).fill("many"));
    });

    it("a bridge that does not answer in time is said to be slow, and the call to have run maybe", async () => {
      const nats = await startNats();
      onTestFinished(() => nats[Symbol.asyncDispose]());
      const port: ProviderPort = {
        ...createLocalPort(new Registry({ heartbeatMs: 60_000 })),
        request: () => new Promise(() => {}),
      };
      const a = startBridge(nats.url, { name: "a" });
      const b = startBridge(nats.url, { name: "b", port });
      onTestFinished(() => a.close());
      onTestFinished(() => b.close());
      const computer = link(b, 1);
      await seen(a, computer.key);
      const error = await a.port
        .request(computer.key, "ping", undefined, { timeoutMs: 50 })
        .catch((failure) => failure);
      expect(error).toBeInstanceOf(LinkError);
      expect(error.message).toMatch(/bridge b, .* is slow: .*may have run/);
    });

    it("a call that means an earlier link of a computer reaches no later one", async () => {
      const [a, b] = await pair();
      const first = link(b, 1);
      await seen(a, first.key);
      const { epoch } = a.cluster.directory.get(first.key) ?? {};
      first.drop();
      await seen(a, first.key, false);
      const second = link(b, 1);
      await seen(a, second.key);
      const call = (args: object) =>
        a.cluster.call(
          b.cluster.id,
          "request",
          { key: first.key, method: "ping", options: { timeoutMs: 1_000 }, ...args },
          { timeoutMs: 1_000 },
        );
      await expect(call({ epoch })).rejects.toThrow("nothing was sent");
      expect(second.fake.received.filter(({ type }) => type === "request")).toEqual([]);
      await expect(
        call({ epoch: a.cluster.directory.get(first.key)?.epoch }),
      ).resolves.toMatchObject({ ok: true });
    });
  },
);

async function pair(): Promise<[TestBridge, TestBridge]> {
  const nats = await startNats();
  onTestFinished(() => nats[Symbol.asyncDispose]());
  const bridges = await startBridges(nats.url, 2);
  onTestFinished(async () => {
    for (const bridge of bridges) await bridge.close();
  });
  return bridges as [TestBridge, TestBridge];
}
