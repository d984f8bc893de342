import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../vitest.texts.js";
import {
  computerRef,
  createLocalPort,
  filteredPort,
  findComputer,
  isComputer,
  type LinkError,
  Pages,
  type ProviderPort,
  watchScreen,
} from "../src/index.js";
import { connectInMemory, FakeComputer, startJob } from "../src/testing/index.js";
import { connectAgent, createRegistry, v2 } from "./harness.js";

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
  return { registry, fake, end, port: createLocalPort(registry) };
}

const order = (code: string) => ({ method: "exec-lua", params: { code }, summary: code });

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

async function everything(port: ProviderPort, key: string, job: string) {
  return [
    await findComputer(port, 12),
    await port.list(),
    await port.list("computer"),
    await port.request(key, "ping", undefined, { timeoutMs: 1_000 }),
    await port.jobs.get(job),
    await port.jobs.list(),
    await port.jobs.wait(job, { timeoutMs: 0 }),
    await port.jobs.read(job, { cursor: 0, maxLength: 100 }),
    await port.events.find(computerRef(12)),
    await port.events.get(key),
    await port.events.read(key, { limit: 10 }),
    await port.events.wait(key, { cursor: 0, watch: { name: "x" }, timeoutMs: 0 }),
  ];
}

function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    (error: LinkError) => error.code,
  );
}

describe("the provider port", () => {
  it("gives plain data only", async () => {
    const { port, fake } = linked();
    const { key } = await findComputer(port, "base");
    const { id } = await startJob(port, key, order("dig"));
    await port.jobs.wait(id, { timeoutMs: 1_000 });
    fake.send({ type: "event", seq: 0, time: 1, name: "redstone", args: ["left"] });
    const reported = await everything(port, key, id);
    expect(structuredClone(reported)).toEqual(reported);
    expect(JSON.stringify(reported)).toContain("redstone");
  });

  it("adds microtasks to a call, not a turn of the event loop", async () => {
    const { port } = linked();
    const { key } = await soon(findComputer(port, 12));
    const { id } = await soon(startJob(port, key, order("dig")));
    const reading = await port.jobs.read(id, { cursor: 4, maxLength: 3 }, { timeoutMs: 1_000 });
    expect(reading).toMatchObject({
      job: { state: "done", ended: true, outputStart: 0, outputEnd: 8 },
      output: { text: "two", next: 7, missed: 0 },
    });
    expect(await soon(port.jobs.get(id))).toMatchObject({ response: { ok: true } });
  });

  it("leaves a snapshot as it was taken", async () => {
    const { port } = linked();
    const { key } = await findComputer(port, 12);
    const before = await startJob(port, key, order("stay"));
    const after = await port.jobs.stop(before.id);
    expect(after).toMatchObject({ stopping: "cancelled" });
    const ended = await port.jobs.wait(before.id, { timeoutMs: 1_000 });
    expect(ended?.state).toBe("cancelled");
    expect(before).toMatchObject({ state: "running", stopping: undefined, ended: false });
  });

  it("lets a caller give up waiting, and the job continues", async () => {
    const { port } = linked();
    const { key } = await findComputer(port, 12);
    const { id } = await startJob(port, key, order("stay"));
    const caller = new AbortController();
    const waiting = port.jobs.wait(id, { timeoutMs: 60_000, signal: caller.signal });
    caller.abort();
    expect(await waiting).toMatchObject({ state: "running", stopping: undefined });
    await port.jobs.stop(id);
  });

  it("says when a provider is no longer linked, and still knows its events", async () => {
    const { port, fake, end } = linked();
    const { key } = await findComputer(port, 12);
    fake.send({ type: "event", seq: 0, time: 1, name: "redstone", args: [] });
    end.link.closed("gone");
    expect(await codeOf(findComputer(port, 12))).toBe("away");
    expect(await codeOf(port.request(key, "ping", {}, { timeoutMs: 1 }))).toBe("not-linked");
    expect(await codeOf(startJob(port, key, order("dig")))).toBe("not-linked");
    expect(await port.events.find(computerRef("base"))).toMatchObject({ linked: false, end: 1 });
    expect(await port.jobs.get("no-such-job")).toBeUndefined();
    expect(await port.events.get("nobody")).toBeUndefined();
  });

  it("reverts a watch list that the computer refuses, and loses neither of two at once", async () => {
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
    const { key } = await findComputer(port, 13);
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
    // Another client has its own, and takes only those along when it goes.
    const other = filteredPort(port, { client: "other" });
    const watching = other.events.watch(
      key,
      { mode: "set", watches: [{ name: "b" }, { name: "d" }] },
      { timeoutMs: 1_000 },
    );
    await vi.waitFor(() => expect(answers).toHaveLength(4));
    answers.at(-1)?.(true);
    await watching;
    expect(await names()).toEqual(["a", "b"]);
    expect(await port.events.get(key)).toMatchObject({ othersWatch: [{ name: "d" }] });
    const { watches } = registry.events.of(registry.computers.find(13));
    expect(watches.all.map(({ name }) => name)).toEqual(["a", "b", "d"]);
    other.events.release();
    expect(watches.all.map(({ name }) => name)).toEqual(["a", "b"]);
  });
});

function linkMore(registry: ReturnType<typeof linked>["registry"], hello: object, tools: object[]) {
  const end = connectInMemory(registry.computers, {
    receive: (text) => {
      const { id, type } = JSON.parse(text);
      if (type === "request") end.send(JSON.stringify({ type: "response", id, ok: true }));
    },
  });
  const abilities = { protocol: 2, methods: ["exec-lua", "watch-screen"], features: [] };
  end.send(JSON.stringify({ type: "hello", ...abilities, ...hello }));
  end.send(JSON.stringify({ type: "tools", tools }));
  return end;
}

describe("one question to many computers", () => {
  const patience = { timeoutMs: 60_000 };

  it("has one id, and is answered on each link by itself", async () => {
    const registry = createRegistry();
    const port = createLocalPort(registry);
    const agents = [1, 2, 3].map((id) => {
      const agent = connectAgent(registry);
      agent.hello(id, id === 2 ? { ...v2, features: [...v2.features, "surrogates"] } : v2);
      return agent;
    });
    const keys = (await port.list()).map(({ key }) => key);
    const asked = port.requestAll([...keys, "gone"], "ping", { ...patience, trace: "t\u{1f600}" });
    const sent = agents.map((agent) => agent.requests("ping").at(-1));
    expect(new Set(sent.map((request) => request?.id)).size).toBe(1);
    expect(sent.map((request) => request?.trace)).toEqual(Array(3).fill("t\u{1f600}"));
    for (const [index, agent] of agents.entries()) {
      const id = sent[index]?.id ?? "";
      agent.say({ type: "response", id, ok: true, result: index });
    }
    expect(await asked).toEqual([
      ...[0, 1, 2].map((result) => ({
        status: "fulfilled",
        value: expect.objectContaining({ ok: true, result }),
      })),
      { status: "rejected", reason: expect.objectContaining({ code: "not-linked" }) },
    ]);
  });

  it("is answered twice by a computer that is named twice", async () => {
    const registry = createRegistry();
    const port = createLocalPort(registry);
    const agent = connectAgent(registry);
    agent.hello(1, v2);
    const [view] = await port.list();
    const key = view?.key ?? "";
    const asked = port.requestAll([key, key], "ping", patience);
    for (const [index, { id }] of agent.requests("ping").entries()) {
      agent.say({ type: "response", id, ok: true, result: index });
    }
    const results = (await asked).map(
      (answer) => answer.status === "fulfilled" && answer.value.result,
    );
    expect(results).toEqual([0, 1]);
  });
});

describe("a port that shows only some providers", () => {
  /** Two computers of the same id in two worlds; only the one in survival is seen. */
  function narrowed() {
    const { registry, port } = linked();
    const [seen, hidden] = ["survival", "creative"].map((world) =>
      linkMore(registry, { computerId: 7, world, computerLabel: world }, [
        { name: `${world}-door` },
      ]),
    );
    if (seen === undefined || hidden === undefined) throw new Error("nobody linked");
    const narrow = filteredPort(port, {
      sees: (provider) => isComputer(provider) && provider.world === "survival",
    });
    return { registry, port, narrow, seen, hidden, key: hidden.link.provider.key };
  }

  it("names and finds nothing else: hidden providers are not linked", async () => {
    const { narrow, port, hidden } = narrowed();
    expect((await narrow.list()).map(({ name }) => name)).toEqual(["computer 7 (Label: survival)"]);
    expect(await port.list()).toHaveLength(3);
    expect(await codeOf(findComputer(port, 7))).toBe("ambiguous");
    expect(await findComputer(narrow, 7)).toMatchObject({ provider: { world: "survival" } });
    const refused: unknown = await findComputer(narrow, "creative").catch((error) => error);
    expect(String(refused)).toMatch(new RegExp(texts.noLinkedComputerHasTheLabelCreative));
    expect(String(refused)).not.toMatch(/12|7@creative/);
    hidden.link.closed("gone");
    expect(await codeOf(findComputer(narrow, "creative"))).toBe("not-linked");
    expect(await codeOf(findComputer(port, "creative"))).toBe("away");
  });

  it("keeps its jobs, events, tools, screens and changes to itself", async () => {
    const { narrow, port, seen, hidden, key } = narrowed();
    const reported: string[] = [];
    await narrow.changes.subscribe(({ topic, provider }) =>
      reported.push(`${topic} of ${provider.name}`),
    );
    const { id } = await startJob(port, key, order("x"));
    const event = { type: "event", seq: 0, time: 1, name: "redstone", args: [] };
    for (const end of [seen, hidden]) end.send(JSON.stringify(event));
    const none = { timeoutMs: 0 };
    const anything = { cursor: 0, watch: { name: "*" }, ...none };
    expect(await narrow.jobs.get(id)).toBeUndefined();
    expect(await narrow.jobs.stop(id)).toBeUndefined();
    expect(await narrow.jobs.wait(id, none)).toBeUndefined();
    expect(await narrow.jobs.read(id, { cursor: 0, maxLength: 1 })).toBeUndefined();
    expect(await narrow.jobs.list()).toEqual([]);
    expect(await port.jobs.list()).toHaveLength(1);
    expect(await narrow.events.get(key)).toBeUndefined();
    for (const refused of [
      narrow.request(key, "ping", {}, { timeoutMs: 1 }),
      startJob(narrow, key, order("x")),
      narrow.events.find(computerRef("creative")),
      narrow.events.read(key, { limit: 1 }),
      narrow.events.wait(key, anything),
      narrow.events.watch(key, { mode: "set", watches: [] }, { timeoutMs: 1 }),
    ]) {
      expect(await codeOf(refused)).toBe("not-linked");
    }
    await expect(watchScreen(narrow, key, () => {})).rejects.toThrow("no longer linked");
    expect((await narrow.offered.list()).flatMap(({ tools }) => tools)).toMatchObject([
      { name: "survival-door" },
    ]);
    expect(await narrow.offered.get(key)).toBeUndefined();
    expect((await port.offered.get(key))?.tools).toMatchObject([{ name: "creative-door" }]);
    expect(reported).toEqual(["events of computer 7 (Label: survival)"]);
  });

  it("shows the pages of its own scope alone", async () => {
    const { registry, port } = linked();
    const pages = new Pages(registry);
    const channel = { send: () => {}, close: () => {}, bufferedBytes: 0 };
    for (const session of ["one", "two"]) {
      pages.attach(channel, { address: "::1" }, { session, site: `https://${session}.example` });
    }
    const namesOf = async (shown: ProviderPort) =>
      (await shown.list("page")).map(({ name }) => name);
    expect(await namesOf(port)).toHaveLength(2);
    expect(await namesOf(filteredPort(port, { scope: "one" }))).toEqual([
      "page https://one.example",
    ]);
    expect(await namesOf(filteredPort(port, {}))).toEqual([]);
    const own = filteredPort(port, { scope: "one" });
    expect(await own.find({ kind: "page" })).toMatchObject({ name: "page https://one.example" });
    expect(await codeOf(own.find({ kind: "page", ref: "https://two.example" }))).toBe("not-linked");
    expect(await codeOf(port.find({ kind: "page" }))).toBe("ambiguous");
    const [page] = await own.list("page");
    const watching = own.watch(page?.key ?? "", { what: "screen" }, () => {});
    await expect(watching).rejects.toThrow("page");
  });

  it("does not know kinds that were not added", async () => {
    const { port } = linked();
    expect(await codeOf(port.find({ kind: "submarine" }))).toBe("not-linked");
    expect(await port.list("submarine")).toEqual([]);
  });
});

describe("a registry that closes", () => {
  const agent = (registry: ReturnType<typeof createRegistry>, features: string[], jobs = [""]) => {
    const connected = connectAgent(registry);
    const kept = jobs.filter((id) => id !== "");
    connected.hello(12, { ...v2, features, methods: ["exec-lua", "watch-events"], jobs: kept });
    return connected;
  };
  const patience = { timeoutMs: 60_000 };

  it("ends the waiting for a job that its agent keeps, which runs on and is known again later", async () => {
    const registry = createRegistry();
    const { link } = agent(registry, ["cancel", "output", "jobs"]);
    const port = createLocalPort(registry);
    const { id } = await startJob(port, link.provider.key, order("x"));
    const waiting = port.jobs.wait(id, patience);
    registry.close();
    expect(await waiting).toMatchObject({
      state: "running",
      linked: false,
      note: expect.stringContaining("restarting"),
    });

    const next = createRegistry();
    const later = createLocalPort(next, { returnWaitMs: 60_000 });
    const asked = later.jobs.read(id, { cursor: 0, maxLength: 100 }, { timeoutMs: 0 });
    agent(next, ["cancel", "output", "jobs"], [id]);
    expect((await asked)?.job).toMatchObject({ id, state: "running", adopted: true });
    next.close();
  });

  it("loses what its agent cannot keep, and what was never sent", async () => {
    const registry = createRegistry({ maxJobs: 1 });
    const { link } = agent(registry, ["cancel", "output"]);
    const port = createLocalPort(registry);
    const [running, queued] = [
      await startJob(port, link.provider.key, order("x")),
      await startJob(port, link.provider.key, order("y")),
    ];
    const waits = [running, queued].map(({ id }) => port.jobs.wait(id, patience));
    registry.close();
    const [first, second] = await Promise.all(waits);
    expect(first).toMatchObject({ state: "lost", note: expect.stringContaining("too old") });
    expect(second).toMatchObject({ state: "lost", startedAt: undefined });
  });

  it("reports it to callers and to those who wait for an event", async () => {
    const registry = createRegistry();
    const { link } = agent(registry, ["cancel"]);
    const { key } = link.provider;
    const port = createLocalPort(registry);
    const waiting = port.events.wait(key, { ...patience, cursor: 0, watch: { name: "x" } });
    registry.close();
    for (const refused of [waiting, findComputer(port, 12), startJob(port, key, order("x"))]) {
      expect(await codeOf(refused)).toBe("shutting-down");
    }
  });
});
