import fc from "fast-check";
import { expect, it } from "vitest";
import {
  createLocalPort,
  filteredPort,
  LinkError,
  type ProviderPort,
  watchScreen,
} from "../src/index.js";
import { connectInMemory, startJob } from "../src/testing/index.js";
import { createRegistry, type TestRegistry } from "./harness.js";

// Few values, so that selectors often match several computers.
const computer = fc.record({
  computerId: fc.constantFrom(1, 2),
  computerLabel: fc.constantFrom("base", "mine"),
  world: fc.constantFrom("a", "b", "c"),
  instance: fc.constantFrom("i", "j"),
  isHidden: fc.boolean(),
  hasLeft: fc.boolean(),
});
type Computer = typeof computer extends fc.Arbitrary<infer T> ? T : never;

const world = fc.uniqueArray(computer, {
  selector: ({ computerId, world, instance }) => `${computerId}${world}${instance}`,
  maxLength: 6,
});

const refs = [undefined, 1, 2, "base", "mine", "1@a", "2@b", "1@i"];
const quick = { timeoutMs: 1_000 };
const order = { method: "exec-lua", params: {}, summary: "x" };

function keyOf({ computerId, world, instance }: Computer): string {
  return `computer:${JSON.stringify([computerId, world, instance])}`;
}

async function build(computers: readonly Computer[]) {
  const registry = createRegistry();
  const port = createLocalPort(registry);
  const jobs = new Map<string, string>();
  for (const each of computers) {
    const key = keyOf(each);
    const end = connectInMemory(registry.computers, {
      receive: (text) => {
        const { id, type, method } = JSON.parse(text);
        if (type === "request" && method !== "exec-lua") {
          end.send(JSON.stringify({ type: "response", id, ok: true, result: {} }));
        }
      },
    });
    const { isHidden, hasLeft, ...provider } = each;
    const methods = ["exec-lua", "watch-screen", "watch-events"];
    end.send(JSON.stringify({ type: "hello", protocol: 2, methods, features: [], ...provider }));
    jobs.set(key, (await startJob(port, key, order)).id);
    end.send(JSON.stringify({ type: "event", seq: 0, time: 1, name: "redstone", args: [key] }));
    end.send(JSON.stringify({ type: "tools", tools: [{ name: "door", description: key }] }));
    if (hasLeft) end.link.closed("gone");
  }
  return { registry, port, jobs };
}

async function outcome(asked: Promise<unknown>): Promise<unknown> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    // The age of a departure may differ by a second.
    return `${error.code}: ${error.message.replace(/until .* ago/, "")}`;
  }
}

const keyIn = (found: unknown) => (found as { key?: string } | undefined)?.key ?? found;

async function shown(
  port: ProviderPort,
  keys: readonly string[],
  jobs: ReadonlyMap<string, string>,
) {
  const selectors = refs.map((ref) => ({ kind: "computer", ref }));
  const found = async (find: (selector: { kind: string }) => Promise<unknown>) =>
    Promise.all(selectors.map(async (selector) => keyIn(await outcome(find(selector)))));
  const ofKey = async (key: string) => {
    const id = jobs.get(key) ?? "";
    const reading = port.jobs.read(id, { cursor: 0, maxLength: 9 });
    return [
      keyIn(await port.get(key)),
      await outcome(port.request(key, "ping", {}, quick)),
      keyIn(await port.jobs.get(id)),
      keyIn(await port.jobs.wait(id, { timeoutMs: 0 })),
      keyIn((await reading)?.job),
      keyIn(await port.events.get(key)),
      await outcome(port.events.read(key, { limit: 9 })),
      await outcome(port.events.wait(key, { cursor: 0, watch: { name: "*" }, timeoutMs: 0 })),
      await outcome(port.events.watch(key, { mode: "set", watches: [] }, quick)),
      await port.offered.get(key),
      await outcome(watchScreen(port, key, () => {}).then((stop) => stop())),
      keyIn(await outcome(startJob(port, key, order))),
      keyIn(await port.jobs.stop(id)),
    ];
  };
  return {
    find: await found((selector) => port.find(selector)),
    events: await found((selector) => port.events.find(selector)),
    list: (await port.list()).map(keyIn),
    jobs: (await port.jobs.list()).map(keyIn),
    offered: await port.offered.list(),
    answers: (await port.requestAll(keys, "ping", quick)).map((answer) =>
      answer.status === "fulfilled" ? answer.value : `${answer.reason.code}: ${answer.reason}`,
    ),
    byKey: await Promise.all(keys.map(ofKey)),
  };
}

async function changesOf(port: ProviderPort, registry: TestRegistry): Promise<string[]> {
  const changes: string[] = [];
  await port.changes.subscribe(({ topic, provider }) => changes.push(`${topic} ${provider.key}`));
  for (const link of [...registry.computers.list()]) link.closed("gone");
  return changes;
}

it("shows exactly what a bridge without the hidden providers would show", async () => {
  await fc.assert(
    fc.asyncProperty(world, async (computers) => {
      const seen = computers.filter(({ isHidden }) => !isHidden);
      const seenKeys = new Set(seen.map(keyOf));
      const whole = await build(computers);
      const twin = await build(seen);
      const narrow = filteredPort(whole.port, { sees: ({ key }) => seenKeys.has(key) });
      const keys = computers.map(keyOf);
      const comparable = (value: unknown) =>
        JSON.parse(
          JSON.stringify(value, (name, part) => (["id", "time"].includes(name) ? 0 : part)),
        );
      expect(comparable(await shown(narrow, keys, whole.jobs))).toEqual(
        comparable(await shown(twin.port, keys, twin.jobs)),
      );
      expect(await changesOf(narrow, whole.registry)).toEqual(
        await changesOf(twin.port, twin.registry),
      );
    }),
    { numRuns: 60 },
  );
});

it("stops showing what it follows once the provider links again as one that is hidden", async () => {
  const registry = createRegistry();
  const port = createLocalPort(registry);
  const end = connectInMemory(registry.computers, { receive: () => {} });
  const hello = (computerLabel: string) =>
    end.send(
      JSON.stringify({
        type: "hello",
        protocol: 2,
        computerId: 1,
        computerLabel,
        methods: [],
        features: [],
      }),
    );
  hello("base");
  const { key } = end.link.provider;
  const states: unknown[] = [];
  let report: (state: unknown) => void = () => {};
  const base: ProviderPort = {
    ...port,
    watch: async (_key, _subject, listener) => {
      report = listener;
      return () => {};
    },
  };
  const narrow = filteredPort(base, { sees: ({ name }) => name.includes("base") });
  const stop = await narrow.watch(key, { what: "screen" }, (state) => states.push(state));
  report(1);
  hello("other");
  report(2);
  hello("base");
  report(3);
  stop();
  expect(states).toEqual([1, 3]);
  expect(registry.changes.size).toBe(createRegistry().changes.size);
});
