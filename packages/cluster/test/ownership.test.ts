import { describe, expect, it, onTestFinished } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { noNats, startNats } from "../src/testing.js";
import { link, seen, startBridge, startBridges, type TestBridge } from "./harness.js";

const skipped = noNats !== undefined;
const quick = { timeoutMs: 5_000 };

describe.skipIf(skipped)(`which bridge has a computer${noNats ? ` (${noNats})` : ""}`, () => {
  it("drops the older link when the computer links elsewhere, and every bridge agrees", async () => {
    const [a, b, c] = await bridges(3);
    const before = link(a, 1);
    await seen(c, before.key);
    before.silence();
    const after = link(b, 1);
    await expect.poll(() => before.closedWith?.reason).toContain("another bridge");
    expect(a.registry.session(after.key)).toBeUndefined();
    for (const bridge of [a, c]) {
      await expect.poll(() => bridge.cluster.directory.get(after.key)?.bridge).toBe(b.cluster.id);
      expect(await bridge.port.request(after.key, "ping", undefined, quick)).toMatchObject({
        ok: true,
      });
    }
    expect(before.fake.received.filter(({ type }) => type === "request")).toEqual([]);
  });

  it("reports the move as linked, not as gone", async () => {
    const [a, b] = await bridges(2);
    const seenChanges: string[] = [];
    const stop = await a.port.changes.subscribe(({ topic }) => seenChanges.push(topic), {
      topics: ["linked", "unlinked"],
    });
    onTestFinished(stop);
    const before = link(a, 1);
    await seen(b, before.key);
    link(b, 1);
    await expect.poll(() => seenChanges).toEqual(["linked", "unlinked", "linked"]);
    link(a, 1);
    await expect.poll(() => seenChanges).toEqual(["linked", "unlinked", "linked", "linked"]);
    await seen(b, before.key);
    expect(seenChanges.at(-1)).toBe("linked");
  });

  it("works on alone without NATS, with its own links, and shows new ones when it is back", async () => {
    const nats = await server();
    const [a, b] = await bridges(2, nats.url);
    const own = link(a, 1);
    const other = link(b, 2);
    await seen(a, other.key);
    await nats.stop();
    await expect.poll(() => a.cluster.status.state).toBe("alone");
    expect(await a.port.request(own.key, "ping", undefined, quick)).toMatchObject({ ok: true });
    const refused = await a.port.request(other.key, "ping", undefined, quick).catch((e) => e);
    expect(refused.message).toContain(texts.hasLostItsConnectionTo);
    expect(refused.message).toContain("Nothing was run.");
    await seen(a, other.key, false);
    const unknown = await a.port.find({ kind: "computer", ref: 2 }).catch((e) => e);
    expect(unknown.message).toContain(texts.noConnectionToTheOthers);
    const third = link(a, 3);
    await nats.start();
    await seen(a, other.key);
    await seen(b, third.key);
    expect(a.port.unseen?.()).toBeUndefined();
    expect(own.closedWith).toBeUndefined();
  });

  it("says that it is alone while NATS is connected and does not answer", async () => {
    const nats = await server();
    const options = { nats: { servers: [nats.url], pingMs: 600_000 } };
    const [a] = await startBridges(nats.url, 1, options);
    onTestFinished(() => a?.close());
    await expect.poll(() => a?.cluster.status).toEqual({ state: "joined" });
    nats.kill("SIGSTOP");
    await expect
      .poll(() => a?.cluster.status)
      .toEqual({ state: "alone", trouble: "NATS does not answer" });
    nats.kill("SIGCONT");
    await expect.poll(() => a?.cluster.status).toEqual({ state: "joined" });
  });

  it("lets the computer decide which of two links counts that were made without NATS", async () => {
    const nats = await server();
    const [a, b] = await bridges(2, nats.url);
    await nats.stop();
    await expect.poll(() => b.cluster.status.state).toBe("alone");
    const dead = link(a, 1);
    dead.silence();
    const alive = link(b, 1);
    await nats.start();
    await expect
      .poll(() => [dead.closedWith === undefined, alive.closedWith === undefined])
      .toEqual([false, true]);
    await expect.poll(() => a.cluster.directory.get(alive.key)?.bridge).toBe(b.cluster.id);
  });

  it("keeps one of two computers that have the same id", async () => {
    const [a, b] = await bridges(2);
    const first = link(a, 1);
    await seen(b, first.key);
    const second = link(b, 1);
    await expect.poll(() => first.closedWith).toBeDefined();
    expect(second.closedWith).toBeUndefined();
  });

  it("writes everything again when NATS has lost its directory", async () => {
    const nats = await server();
    const [a, b] = await bridges(2, nats.url);
    const computer = link(a, 1);
    await seen(b, computer.key);
    await nats.wipe();
    await expect.poll(() => b.cluster.status.state).toBe("joined");
    await seen(b, computer.key);
    await expect
      .poll(
        async () =>
          (
            await b.port
              .request(computer.key, "ping", undefined, quick)
              .catch(() => ({ ok: false }))
          ).ok,
      )
      .toBe(true);
    expect(computer.closedWith).toBeUndefined();
  });

  it("ends the lease of a bridge that says nothing, whatever the clock of this process says", async () => {
    const nats = await server();
    let clock = 0;
    const a = startBridge(nats.url, { name: "a", now: () => performance.now() + clock });
    const b = startBridge(nats.url, { name: "b" });
    onTestFinished(() => a.close());
    onTestFinished(() => b.close());
    const computer = link(b, 1);
    await seen(a, computer.key);
    // A jump forward is taken for a stall of this process: leases are not ended by it.
    clock = 3_600_000;
    await new Promise((resolve) => a.cluster.onMembers(() => resolve(undefined)));
    expect((await a.port.get(computer.key))?.key).toBe(computer.key);
  });
});

async function server() {
  const nats = await startNats();
  onTestFinished(() => nats[Symbol.asyncDispose]());
  return nats;
}

async function bridges(count: number, url?: string): Promise<[TestBridge, TestBridge, TestBridge]> {
  const started = await startBridges(url ?? (await server()).url, count);
  onTestFinished(async () => {
    for (const bridge of started) await bridge.close();
  });
  return started as [TestBridge, TestBridge, TestBridge];
}
