import { startJob } from "@ccbridge/registry/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { noNats, startNats } from "../src/testing.js";
import { link, run, seen, startBridges, type TestBridge } from "./harness.js";

const quick = { timeoutMs: 5_000 };

describe.skipIf(noNats !== undefined)(
  `what moves with a computer${noNats ? ` (${noNats})` : ""}`,
  () => {
    it("a cursor of events of another bridge is never read as a place in the own log", async () => {
      const [a, b] = await bridges(2);
      const first = link(a, 1);
      await seen(b, first.key);
      for (const name of ["one", "two", "three"]) first.event(name);
      const read = await a.port.events.read(first.key, { limit: 2 });
      expect(read.events.map(({ name }) => name)).toEqual(["one", "two"]);
      expect(read.hasMoved).toBeUndefined();

      const second = link(b, 1);
      await expect.poll(() => first.closedWith).toBeDefined();
      for (const name of ["four", "five", "six", "seven"]) second.event(name);
      for (const bridge of [a, b]) {
        await expect.poll(async () => (await bridge.port.events.get(first.key))?.linked).toBe(true);
        const page = await bridge.port.events.read(first.key, { cursor: read.next, limit: 10 });
        expect(page).toMatchObject({ hasMoved: true, restarted: false });
        expect(page.events.map(({ name }) => name)).toEqual(["four", "five", "six", "seven"]);
        const rest = await bridge.port.events.read(first.key, { cursor: page.next, limit: 10 });
        expect(rest).toMatchObject({ events: [], next: page.next });
        expect(rest.hasMoved).toBeUndefined();
      }

      // Back again: what came on the other bridge is missing here, which is said, and nothing is repeated.
      const third = link(a, 1);
      await expect.poll(() => second.closedWith).toBeDefined();
      third.event("eight");
      const back = await a.port.events.read(first.key, { cursor: read.next, limit: 10 });
      expect(back.hasMoved).toBe(true);
      expect(back.events.map(({ name }) => name)).toEqual(["three", "eight"]);
      const waited = await a.port.events.wait(first.key, {
        cursor: back.next,
        watch: { name: "*" },
        timeoutMs: 0,
      });
      expect(waited.hasMoved).toBeUndefined();
    });

    it("does not say so when the computer only linked to the same bridge again", async () => {
      const [a, b] = await bridges(2);
      const first = link(a, 1);
      await seen(b, first.key);
      first.event("one");
      const { next } = await a.port.events.read(first.key, { limit: 2 });
      first.drop();
      await seen(b, first.key, false);
      // Its events are read where they are, also from elsewhere.
      expect((await b.port.events.read(first.key, { limit: 2 })).events).toHaveLength(1);
      const second = link(a, 1);
      await seen(b, first.key);
      second.event("two");
      const page = await b.port.events.read(first.key, { cursor: next, limit: 10 });
      expect(page.hasMoved).toBeUndefined();
      expect(page.events.map(({ name }) => name)).toEqual(["two"]);
    });

    it("the events that clients watch are watched on the next bridge as well", async () => {
      const [a, b] = await bridges(2);
      const first = link(a, 1);
      await seen(b, first.key);
      const change = { mode: "add", watches: [{ name: "redstone" }], client: "kim" } as const;
      expect((await b.port.events.watch(first.key, change, quick)).ok).toBe(true);
      expect(first.watched()).toEqual([{ name: "redstone" }]);
      await expect
        .poll(() => b.cluster.directory.get(first.key)?.watches)
        .toEqual([["kim", [{ name: "redstone" }]]]);
      const second = link(b, 1);
      await expect.poll(() => second.watched()).toEqual([{ name: "redstone" }]);
      expect((await b.port.events.get(first.key, "kim"))?.watches).toEqual([{ name: "redstone" }]);
      await expect
        .poll(() => a.cluster.directory.get(first.key)?.watches)
        .toEqual([["kim", [{ name: "redstone" }]]]);
      // What was given up on one bridge does not come back on another.
      await b.port.events.watch(first.key, { mode: "set", watches: [], client: "kim" }, quick);
      await expect.poll(() => a.cluster.directory.get(first.key)?.watches).toBeUndefined();
      second.silence();
      const third = link(a, 1);
      await expect.poll(() => second.closedWith).toBeDefined();
      await expect
        .poll(async () => (await a.port.events.get(first.key, "kim"))?.watches)
        .toEqual([]);
      expect(third.watched() ?? []).toEqual([]);
    });

    it("a job that waited on one bridge is begun on the next, once, and is found from all", async () => {
      const [a, b, c] = await bridges(3, { maxJobs: 1 });
      const runs: string[] = [];
      const programs = {
        long: () => new Promise<never>(() => {}),
        short: () => {
          runs.push("short");
          return [{ type: "string", value: "done" }];
        },
      };
      const first = link(a, 1, { programs });
      await seen(c, first.key);
      await startJob(c.port, first.key, run("long"));
      const waiting = await startJob(c.port, first.key, { ...run("short"), client: "kim" });
      expect(waiting.state).toBe("queued");
      const ended = c.port.jobs.wait(waiting.id, { timeoutMs: 20_000 });
      link(b, 1, { programs });
      expect(await ended).toMatchObject({ state: "done", summary: "short", client: "kim" });
      expect(runs).toEqual(["short"]);
      for (const bridge of [a, b, c]) {
        expect(await bridge.port.jobs.get(waiting.id)).toMatchObject({
          state: "done",
          summary: "short",
        });
      }
      expect(a.registry.jobs.get(waiting.id)).toBeUndefined();
    });

    it("a screen is followed on whatever bridge has it, also after it moved and after NATS was away", async () => {
      const nats = await startNats();
      onTestFinished(() => nats[Symbol.asyncDispose]());
      const [a, b, c] = await bridges(3, {}, nats.url);
      const first = link(a, 1);
      await seen(c, first.key);
      const states: string[] = [];
      const stop = await c.port.watch(first.key, { what: "screen" }, (state) =>
        states.push(JSON.stringify(state)),
      );
      onTestFinished(stop);
      await expect.poll(() => a.registry.session(first.key)?.runningRequests).toBeDefined();
      const followers = ({ cluster }: TestBridge) => cluster.followed;
      await expect.poll(() => followers(a)).toBe(1);
      link(b, 1);
      await expect.poll(() => [followers(a), followers(b)]).toEqual([0, 1]);
      await nats.stop();
      await expect.poll(() => c.cluster.status.state).toBe("alone");
      await nats.start();
      await expect.poll(() => c.cluster.status.state).toBe("joined");
      await expect.poll(() => followers(b)).toBe(1);
      stop();
      await expect.poll(() => followers(b)).toBe(0);
    });
  },
);

async function bridges(
  count: number,
  limits: { maxJobs?: number } = {},
  url?: string,
): Promise<[TestBridge, TestBridge, TestBridge]> {
  let address = url;
  if (address === undefined) {
    const nats = await startNats();
    onTestFinished(() => nats[Symbol.asyncDispose]());
    address = nats.url;
  }
  const started = await startBridges(address, count, {}, limits);
  onTestFinished(async () => {
    for (const bridge of started) await bridge.close();
  });
  return started as [TestBridge, TestBridge, TestBridge];
}
