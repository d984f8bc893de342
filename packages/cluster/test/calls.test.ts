import { LinkError } from "@ccbridge/registry";
import { startJob } from "@ccbridge/registry/testing";
import { connect, type Msg } from "@nats-io/transport-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { noNats, startNats } from "../src/testing.js";
import { link, run, seen, startBridges, type TestBridge } from "./harness.js";

describe.skipIf(noNats !== undefined)(`calls over bridges${noNats ? ` (${noNats})` : ""}`, () => {
  it("finds, lists and asks a computer of another bridge", async () => {
    const [a, b] = await pair();
    const turtle = link(b, 7, { label: "miner" });
    await seen(a, turtle.key);

    expect((await a.port.find({ kind: "computer", ref: "miner" })).key).toBe(turtle.key);
    expect((await a.port.list("computer")).map(({ name }) => name)).toEqual([
      "computer 7 (Label: miner)",
    ]);
    expect(await a.port.request(turtle.key, "ping", undefined, { timeoutMs: 5_000 })).toMatchObject(
      {
        ok: true,
        result: "pong from 7 (Label: miner)",
      },
    );
  });

  it("says that a label is ambiguous over bridges, and names what all have", async () => {
    const [a, b] = await pair();
    link(a, 1, { label: "base" });
    const other = link(b, 2, { label: "base" });
    await seen(a, other.key);
    const ambiguous = await a.port.find({ kind: "computer", ref: "base" }).catch((error) => error);
    expect(ambiguous).toMatchObject({ code: "ambiguous" });
    expect(ambiguous.candidates).toHaveLength(2);
    const missing = await a.port.find({ kind: "computer", ref: 9 }).catch((error) => error);
    expect(missing.message).toContain("1 (Label: base), 2 (Label: base)");
  });

  it("runs jobs there and shows their output and result here", async () => {
    const [a, b] = await pair();
    let finish = () => {};
    const programs = {
      work: async ({ write }: { write(text: string): void }) => {
        write("begun");
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return [{ type: "string", value: "done" }];
      },
    };
    const turtle = link(b, 3, { programs });
    await seen(a, turtle.key);
    const job = await startJob(a.port, turtle.key, run("work"));
    const reading = await a.port.jobs.read(
      job.id,
      { cursor: 0, maxLength: 100 },
      { cursor: 0, timeoutMs: 10_000 },
    );
    expect(reading?.output.text).toBe("begun");
    finish();
    const ended = await a.port.jobs.wait(job.id, { timeoutMs: 10_000 });
    expect(ended).toMatchObject({ ended: true, state: "done", summary: "work" });
    expect((await a.port.jobs.list()).map(({ id }) => id)).toEqual([job.id]);
  });

  it("takes one request and its answer for a job that ends at once", async () => {
    const nats = await startNats();
    onTestFinished(() => nats[Symbol.asyncDispose]());
    const [a, b] = await pairOn(nats.url);
    const turtle = link(b, 3, { programs: { quick: () => [{ type: "number", value: 1 }] } });
    await seen(a, turtle.key);
    const watcher = await connect({ servers: nats.url });
    onTestFinished(() => watcher.close());
    const subjects: string[] = [];
    const callback = (_: unknown, { subject }: Msg) =>
      void subjects.push(subject.split(".")[1] ?? "");
    for (const subject of ["ccbridge.bridge.>", "ccbridge.reply.>"]) {
      watcher.subscribe(subject, { callback });
    }
    await watcher.flush();
    const waiting = { timeoutMs: 60_000 };
    const { job, output } = await a.port.jobs.run(turtle.key, run("quick"), all, waiting);
    expect(job).toMatchObject({ state: "done", response: { ok: true } });
    expect(output.text).toBe("");
    await watcher.flush();
    expect(subjects).toEqual(["bridge", "reply"]);
  });

  it("names a job that takes longer while the caller waits, who may stop waiting or stop it", async () => {
    const [a, b] = await pair();
    const turtle = link(b, 3, { programs: { stay: () => new Promise(() => {}) } });
    await seen(a, turtle.key);
    const caller = new AbortController();
    const ids: string[] = [];
    const begun = ({ id }: { id: string }) => ids.push(id);
    const waiting = { timeoutMs: 60_000, signal: caller.signal, begun };
    const reading = a.port.jobs.run(turtle.key, run("stay"), all, waiting);
    await expect.poll(() => ids).toHaveLength(1);
    const [id = ""] = ids;
    expect(await a.port.jobs.get(id)).toMatchObject({ state: "running" });
    caller.abort();
    expect((await reading).job).toMatchObject({ id, state: "running" });
    expect(await a.port.jobs.stop(id)).toMatchObject({ stopping: "cancelled" });
    expect(ids).toHaveLength(1);
  });

  it("begins a job once and names it, even if NATS was away when it began", async () => {
    const nats = await startNats();
    onTestFinished(() => nats[Symbol.asyncDispose]());
    const [a, b] = await pairOn(nats.url);
    let runs = 0;
    let finish = () => {};
    const programs = {
      once: async () => {
        runs += 1;
        // Neither that it has begun nor its answer is carried.
        await nats.stop();
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return [{ type: "number", value: runs }];
      },
    };
    const turtle = link(b, 6, { programs });
    await seen(a, turtle.key);
    const ids: string[] = [];
    const begun = ({ id }: { id: string }) => ids.push(id);
    const waiting = { timeoutMs: 60_000, begun };
    const reading = a.port.jobs.run(turtle.key, run("once"), all, waiting);
    await expect.poll(() => b.cluster.status.state).toBe("alone");
    await nats.start();
    await expect.poll(() => ids, { timeout: 15_000 }).toHaveLength(1);
    finish();
    expect((await reading).job).toMatchObject({ id: ids[0], state: "done" });
    expect([runs, ids.length]).toEqual([1, 1]);
  });

  it("says of a job whose bridge goes away that it may have run", async () => {
    const [a, b] = await pair();
    const turtle = link(b, 5, { programs: { stay: () => new Promise(() => {}) } });
    await seen(a, turtle.key);
    const running = outcome(a.port.jobs.run(turtle.key, run("stay"), all, slowly));
    await expect.poll(() => turtle.fake.received.length).toBe(2);
    await b.cluster.close();
    expect(await running).toBe(texts.disconnectedTheBridgeToWhich);
    expect(await outcome(a.port.jobs.run(turtle.key, run("stay"), all, slowly))).toBe(
      texts.notLinkedTheProviderIs,
    );
  });

  it("brings answers that are longer than a message of NATS", async () => {
    const [a, b] = await pair();
    const long = "x".repeat(3_000_000);
    const programs = {
      long: () => [{ type: "string", value: long }],
      print: ({ write }: { write(text: string): void }) => {
        write(long.slice(0, 900_000));
        return [];
      },
    };
    const turtle = link(b, 4, { programs });
    await seen(a, turtle.key);
    const answer = await a.port.request(turtle.key, "exec-lua", { code: "long" }, slowly);
    expect((answer.result as { returns: { value: string }[] }).returns[0]?.value).toHaveLength(
      long.length,
    );
    const { output } = await a.port.jobs.run(turtle.key, run("print"), all, slowly);
    expect(output.text).toHaveLength(900_000);
    const sent = await a.port.request(turtle.key, "exec-lua", { code: long }, slowly);
    expect(sent).toMatchObject({
      ok: false,
      error: texts.theFakeComputerDoesNot,
    });
  });

  it("gives three different errors: no bridge has it, slow, gone while it ran", async () => {
    const [a, b] = await pair();
    const turtle = link(b, 5, { programs: { wait: () => new Promise(() => {}) } });
    await seen(a, turtle.key);
    const running = outcome(a.port.request(turtle.key, "exec-lua", { code: "wait" }, slowly));
    await expect.poll(() => turtle.fake.received.length).toBe(2);
    await b.cluster.close();
    expect(await running).toBe(texts.disconnectedTheBridgeToWhich);
    expect(await outcome(a.port.request(turtle.key, "ping", undefined, slowly))).toBe(
      texts.notLinkedTheProviderIs,
    );
  });

  it("runs a call once, even if its answer is asked for again and again", async () => {
    const nats = await startNats();
    onTestFinished(() => nats[Symbol.asyncDispose]());
    const [a, b] = await pairOn(nats.url);
    let runs = 0;
    let finish = () => {};
    const programs = {
      once: async () => {
        runs += 1;
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return [{ type: "number", value: runs }];
      },
    };
    const turtle = link(b, 6, { programs });
    await seen(a, turtle.key);
    const call = a.port.request(turtle.key, "exec-lua", { code: "once" }, slowly);
    await expect.poll(() => runs).toBe(1);
    // The answer is given while no server carries it.
    await nats.stop();
    await expect.poll(() => b.cluster.status.state).toBe("alone");
    finish();
    await nats.start();
    expect(await call).toMatchObject({ ok: true, result: { returns: [{ value: 1 }] } });
    expect(runs).toBe(1);
  });

  it("cancels there what is cancelled here", async () => {
    const [a, b] = await pair();
    let stopped = false;
    const programs = {
      wait: ({ signal }: { signal: AbortSignal }) =>
        new Promise<never>((_, reject) => {
          signal.addEventListener("abort", () => {
            stopped = true;
            reject(new Error("cancelled"));
          });
        }),
    };
    const turtle = link(b, 8, { programs });
    await seen(a, turtle.key);
    const abort = new AbortController();
    const options = { timeoutMs: 60_000, signal: abort.signal, cancelGraceMs: 2_000 };
    const call = outcome(a.port.request(turtle.key, "exec-lua", { code: "wait" }, options));
    await expect.poll(() => turtle.fake.received.length).toBe(2);
    abort.abort();
    expect(await call).toContain("cancelled:");
    expect(stopped).toBe(true);
  });
});

const all = { cursor: 0, maxLength: 1_000_000 };
const slowly = { timeoutMs: 60_000 };

async function pair(): Promise<[TestBridge, TestBridge]> {
  const nats = await startNats();
  onTestFinished(() => nats[Symbol.asyncDispose]());
  return pairOn(nats.url);
}

async function pairOn(url: string): Promise<[TestBridge, TestBridge]> {
  const bridges = await startBridges(url, 2);
  onTestFinished(async () => {
    for (const bridge of bridges) await bridge.close();
  });
  return bridges as [TestBridge, TestBridge];
}

async function outcome(asked: Promise<unknown>): Promise<string> {
  try {
    return `answered ${JSON.stringify(await asked)}`;
  } catch (error) {
    return error instanceof LinkError ? `${error.code}: ${error.message}` : String(error);
  }
}
