import { describe, expect, it } from "vitest";
import { createLocalPort, type LinkError, type ProviderPort } from "../src/index.js";
import { connectInMemory, FakeComputer } from "../src/testing/index.js";
import { createRegistry } from "./harness.js";

function linked() {
  const registry = createRegistry();
  const fake: FakeComputer = new FakeComputer({
    computerId: 12,
    label: "base",
    programs: {
      dig: (run) => {
        run.write("one\ntwo\n");
        return [{ type: "number", value: 2 }];
      },
      stay: (run) =>
        new Promise((_, reject) => {
          run.signal.addEventListener("abort", () => reject(new Error("cancelled")));
        }),
    },
    send: (text) => end.send(text),
  });
  const end = connectInMemory(registry.computers, { receive: (text) => fake.receive(text) });
  fake.sayHello();
  return { registry, fake, end, port: createLocalPort(registry.computers) };
}

const order = (code: string) => ({ method: "exec-lua", params: { code }, summary: code });

/** A promise that was answered within a few microtasks, without a timer or I/O. */
async function soon<T>(promise: Promise<T>): Promise<T> {
  let answered = false;
  const done = promise.then((value) => {
    answered = true;
    return value;
  });
  for (let turn = 0; turn < 8; turn++) await undefined;
  expect(answered).toBe(true);
  return done;
}

/** Everything that the port can tell, as one value. */
async function everything(port: ProviderPort, key: string, job: string) {
  return [
    await port.find(12),
    await port.list(),
    await port.request(key, "ping", undefined, { timeoutMs: 1_000 }),
    await port.jobs.get(job),
    await port.jobs.list(),
    await port.jobs.wait(job, { timeoutMs: 0 }),
    await port.jobs.read(job, { cursor: 0, maxLength: 100 }),
    await port.events.find(12),
    await port.events.get(key),
    await port.events.read(key, { limit: 10 }),
    await port.events.wait(key, { cursor: 0, watch: { name: "x" }, timeoutMs: 0 }),
  ];
}

describe("the provider port", () => {
  it("gives plain data only", async () => {
    const { port, fake } = linked();
    const { key } = await port.find("base");
    const { id } = await port.jobs.start(key, order("dig"));
    await port.jobs.wait(id, { timeoutMs: 1_000 });
    fake.send({ type: "event", seq: 0, time: 1, name: "redstone", args: ["left"] });
    const told = await everything(port, key, id);
    expect(structuredClone(told)).toEqual(told);
    expect(JSON.stringify(told)).toContain("redstone");
  });

  it("adds microtasks to a call, not a turn of the event loop", async () => {
    const { port } = linked();
    const { key } = await soon(port.find(12));
    const { id } = await soon(port.jobs.start(key, order("dig")));
    const reading = await port.jobs.read(id, { cursor: 4, maxLength: 3 }, { timeoutMs: 1_000 });
    expect(reading).toMatchObject({
      job: { state: "done", ended: true, outputStart: 0, outputEnd: 8 },
      output: { text: "two", next: 7, missed: 0 },
    });
    expect(await soon(port.jobs.get(id))).toMatchObject({ response: { ok: true } });
  });

  it("leaves a snapshot as it was taken", async () => {
    const { port } = linked();
    const { key } = await port.find(12);
    const before = await port.jobs.start(key, order("stay"));
    const after = await port.jobs.stop(before.id);
    expect(after).toMatchObject({ stopping: "cancelled" });
    const ended = await port.jobs.wait(before.id, { timeoutMs: 1_000 });
    expect(ended?.state).toBe("cancelled");
    expect(before).toMatchObject({ state: "running", stopping: undefined, ended: false });
  });

  it("lets a caller give up waiting, and the job goes on", async () => {
    const { port } = linked();
    const { key } = await port.find(12);
    const { id } = await port.jobs.start(key, order("stay"));
    const caller = new AbortController();
    const waiting = port.jobs.wait(id, { timeoutMs: 60_000, signal: caller.signal });
    caller.abort();
    expect(await waiting).toMatchObject({ state: "running", stopping: undefined });
    await port.jobs.stop(id);
  });

  it("says when somebody is not linked any more, and still knows the events", async () => {
    const { port, fake, end } = linked();
    const { key } = await port.find(12);
    fake.send({ type: "event", seq: 0, time: 1, name: "redstone", args: [] });
    end.link.closed("gone");
    const codeOf = (promise: Promise<unknown>) =>
      promise.then(
        () => "none",
        (error: LinkError) => error.code,
      );
    expect(await codeOf(port.find(12))).toBe("away");
    expect(await codeOf(port.request(key, "ping", {}, { timeoutMs: 1 }))).toBe("not-linked");
    expect(await codeOf(port.jobs.start(key, order("dig")))).toBe("not-linked");
    expect(await port.events.find("base")).toMatchObject({ linked: false, end: 1 });
    expect(await port.jobs.get("no-such-job")).toBeUndefined();
    expect(await port.events.get("nobody")).toBeUndefined();
  });

  it("takes a watch list back that the computer refuses, and loses none of two at once", async () => {
    const { registry, port } = linked();
    const answers: ((ok: boolean) => void)[] = [];
    const end = connectInMemory(registry.computers, {
      receive: (text) => {
        const frame = JSON.parse(text);
        if (frame.method !== "watch-events") return;
        answers.push((ok) =>
          end.send(
            JSON.stringify({ type: "response", id: frame.id, ok, result: {}, error: "no room" }),
          ),
        );
      },
    });
    end.send(
      JSON.stringify({
        type: "hello",
        computerId: 13,
        protocol: 2,
        methods: ["watch-events"],
        features: [],
      }),
    );
    const { key } = await port.find(13);
    const add = (name: string) =>
      port.events.watch(key, { mode: "add", watches: [{ name }] }, { timeoutMs: 1_000 });
    const names = async () => (await port.events.get(key))?.watches.map(({ name }) => name);
    const both = [add("a"), add("b")];
    await Promise.resolve();
    for (const answer of answers) answer(true);
    await Promise.all(both);
    expect(await names()).toEqual(["a", "b"]);
    const refused = add("c");
    await Promise.resolve();
    answers.at(-1)?.(false);
    expect(await refused).toMatchObject({ ok: false });
    expect(await names()).toEqual(["a", "b"]);
  });
});
