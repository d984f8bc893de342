import { filteredPort, type ProviderPort } from "@ccbridge/registry";
import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import {
  answer,
  ClientTools,
  type ToolEntry,
  ToolSource,
  UnknownToolError,
} from "../../src/index.js";
import { call, createRegistry, linkRaw, lookAt, type TestRegistry } from "../harness.js";

const quarry = {
  name: "quarry",
  description: "Digs a quarry.",
  inputSchema: {
    type: "object",
    properties: { depth: { type: "integer", description: "how deep" } },
    required: ["depth"],
  },
};
const door = { name: "door", description: "Opens the door." };

function linkOffering(
  registry: TestRegistry,
  computerId: number,
  tools: object[],
  more: object = {},
) {
  const calls: unknown[] = [];
  const hello = { computerId, protocol: 2, methods: ["call-tool"], features: [], ...more };
  const end = linkRaw(registry, hello, (request, send) => {
    if (request.method !== "call-tool") return;
    const { params } = request as unknown as { params: { name: string; arguments: object } };
    calls.push(params);
    const returns = [{ type: "string", value: `${params.name} on ${computerId}` }];
    send({ type: "response", id: request.id, ok: true, result: { returns, output: "" } });
  });
  const offer = (list: object[], broken: object[] = []) =>
    end.send(JSON.stringify({ type: "tools", tools: list, broken }));
  offer(tools);
  return { calls, offer, end };
}

function openSession(registry: TestRegistry, providers?: ProviderPort) {
  const context = lookAt(registry);
  const listChanged = vi.fn();
  const seen = { ...context, ...(providers === undefined ? {} : { providers }) };
  const session = new ClientTools({
    source: new ToolSource([], (tool) => tool as unknown as ToolEntry),
    offered: seen.offered,
    providers: seen.providers,
    allows: () => true,
    listChanged,
  });
  const signal = new AbortController().signal;
  const use = async (name: string, args: object = {}) => {
    const own = { ...seen, signal };
    const found = await session.find(name);
    const { content, isError = false } = await answer(
      async () => (await found.read(args, own)).run(own),
      own.settings,
    );
    const [first] = content;
    return { isError, text: first?.type === "text" ? first.text : "" };
  };
  const names = async () => (await session.list()).map(({ name }) => name);
  return { session, listChanged, use, names };
}

describe("a tool that a computer offers", () => {
  it("is listed while its computer is linked, with its text marked as coming from the game", async () => {
    const registry = createRegistry();
    const { end } = linkOffering(registry, 12, [quarry]);
    const { session } = openSession(registry);
    expect(await session.list()).toEqual([
      {
        name: "quarry",
        title: "Quarry",
        description: texts.offeredInTheGameBy,
        annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
        inputSchema: quarry.inputSchema,
      },
    ]);
    end.link.closed("gone");
    expect(await session.list()).toEqual([]);
  });

  it("is called as a job, with the arguments that were checked", async () => {
    const registry = createRegistry();
    const { calls } = linkOffering(registry, 12, [quarry]);
    const { use } = openSession(registry);
    expect(await use("quarry", { depth: 4 })).toMatchObject({
      isError: false,
      text: expect.stringContaining('Returned: "quarry on 12"'),
    });
    const wrong = await use("quarry", { depth: "deep" });
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toBe(texts.theArgumentsOfQuarryAre + texts.nothingWasDoneCorrectThem);
    expect(calls).toEqual([{ name: "quarry", arguments: { depth: 4 } }]);
    const { text } = await call(registry, "list-jobs");
    expect(text).toContain('quarry {"depth":4}');
  });

  it("refuses arguments that its input does not name, unless it leaves that open", async () => {
    const registry = createRegistry();
    const anything = { name: "anything", inputSchema: { type: "object" } };
    const open = {
      name: "open",
      inputSchema: { properties: { a: {} }, additionalProperties: { type: "string" } },
    };
    const { calls } = linkOffering(registry, 12, [quarry, anything, open]);
    const { use } = openSession(registry);
    const misspelt = await use("quarry", { depth: 3, dept: 4 });
    expect(misspelt.text).toContain('no argument "dept". Did you mean depth?');
    const strange = await use("quarry", { depth: 3, colour: 4 });
    expect(strange.text).toContain('no argument "colour". It has depth.');
    expect(calls).toEqual([]);
    await use("anything", { x: 1 });
    await use("open", { b: "c" });
    expect(calls).toHaveLength(2);
  });

  it("accepts either spelling, since some clients change - into _", async () => {
    const registry = createRegistry();
    linkOffering(registry, 12, [{ name: "open-door" }]);
    expect((await openSession(registry).use("open_door")).text).toContain("open-door on 12");
  });

  it("is one tool for several computers, and lists them when none is named", async () => {
    const registry = createRegistry();
    const first = linkOffering(registry, 12, [door], { computerLabel: "east" });
    const { session, use } = openSession(registry);
    expect((await use("door")).text).toContain("door on 12");
    const second = linkOffering(registry, 13, [{ ...door, description: "Other words." }]);
    const [entry] = await session.list();
    expect(entry).toMatchObject({
      name: "door",
      inputSchema: { required: ["computerId"], properties: { computerId: { type: "string" } } },
    });
    const asked = await use("door");
    expect(asked.isError).toBe(true);
    expect(asked.text).toContain(
      '"12" (computer 12 (Label: east)), "13" (computer 13 (Label: null))',
    );
    expect((await use("door", { computerId: 13 })).text).toContain("door on 13");
    expect((await use("door", { computerId: "east" })).text).toContain("door on 12");
    expect((await use("door", { computerId: 14 })).text).toContain("Computer 14 is not linked.");
    first.end.link.closed("gone");
    expect((await use("door")).text).toContain("computerId must choose one");
    expect([first.calls.length, second.calls.length]).toEqual([2, 1]);
  });

  it("permanently has a tag when another computer has its name with another input", async () => {
    const registry = createRegistry();
    const first = linkOffering(registry, 12, [door]);
    const { names, use } = openSession(registry);
    await names();
    linkOffering(registry, 13, [{ ...quarry, name: "door" }]);
    const [plain, tagged = ""] = await names();
    expect(plain).toBe("door");
    expect(tagged).toMatch(/^door_13_[0-9a-f]{6}$/);
    expect((await use(tagged, { depth: 1 })).text).toContain("door on 13");
    first.end.link.closed("gone");
    expect(await names()).toEqual([tagged]);
    await expect(use("door")).rejects.toThrow(UnknownToolError);
  });

  it("never takes the name of a built-in tool, listed or hidden", async () => {
    const registry = createRegistry();
    linkOffering(registry, 12, [{ name: "exec_lua" }, { name: "__btcp_ping" }]);
    expect(await openSession(registry).names()).toEqual([
      expect.stringMatching(/^exec_lua_12_[0-9a-f]{6}$/),
    ]);
  });

  it("names the computer argument differently when it already has one of that name", async () => {
    const registry = createRegistry();
    const send = {
      name: "send",
      inputSchema: { properties: { computerId: { type: "integer" } }, required: ["computerId"] },
    };
    const { calls } = linkOffering(registry, 12, [send]);
    linkOffering(registry, 13, [send]);
    const { use } = openSession(registry);
    await use("send", { provider: "12", computerId: 99 });
    expect(calls).toEqual([{ name: "send", arguments: { computerId: 99 } }]);
  });

  it("cannot fill the list, and one computer's leave room for the others'", async () => {
    const registry = createRegistry();
    const long = Array.from({ length: 50 }, (_, index) => ({
      name: `tool-${index}`,
      description: "x".repeat(2_000),
    }));
    linkOffering(registry, 12, long);
    linkOffering(registry, 13, [door]);
    const { session, use } = openSession(registry);
    const listed = await session.list();
    // The budget, with the commas and brackets of the list. Models see neither titles nor hints.
    const seen = listed.map(({ title: _, annotations: __, ...entry }) => entry);
    expect(JSON.stringify(seen).length).toBeLessThanOrEqual(40_000 + listed.length + 1);
    expect(listed.map(({ name }) => name)).toContain("door");
    expect(listed.length).toBeGreaterThan(5);
    expect((await use("tool-49")).text).toContain("tool-49 on 12");
  });

  it("is cleaned of what could fake lines or directions", async () => {
    const registry = createRegistry();
    linkOffering(registry, 12, [{ name: "door", description: "a\u001b[31m\u202eb\u0007" }]);
    const [entry] = await openSession(registry).session.list();
    expect(entry?.description).toContain('in its words: "a\\u001b[31m');
    expect(entry?.description).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  });

  it("is not seen by those whose port hides its computer, and its name stays the same", async () => {
    const registry = createRegistry();
    linkOffering(registry, 12, [door]);
    linkOffering(registry, 13, [door, quarry]);
    const all = lookAt(registry).providers;
    const shown = (await all.offered.list()).find(({ name }) => name.startsWith("computer 13"));
    const some: ProviderPort = {
      ...all,
      offered: {
        list: async () => (await all.offered.list()).filter(({ key }) => key === shown?.key),
        get: async (key) => (key === shown?.key ? shown : undefined),
      },
    };
    const { names, use } = openSession(registry, some);
    expect(await names()).toEqual(["door", "quarry"]);
    expect((await use("door", { computerId: 12 })).text).toContain("Computer 12 is not linked.");
  });
});

describe("a computer that offers tools", () => {
  it("is shown in list-computers, and so are broken ones", async () => {
    const registry = createRegistry();
    const { offer } = linkOffering(registry, 12, [door, quarry]);
    expect((await call(registry, "list-computers")).text).toContain("offers door, quarry");
    offer([door], [{ file: "/mcp-tools/lift.lua", problem: "no description" }]);
    expect((await call(registry, "list-computers")).text).toContain(texts.offersDoorOfItsTools);
  });

  it("reports the progress of a call to the waiting client and to viewers", async () => {
    const registry = createRegistry();
    const hello = { computerId: 12, protocol: 2, methods: ["call-tool"], features: [] };
    let send: (frame: object) => void = () => {};
    const end = linkRaw(registry, hello, ({ id, method }, answer) => {
      if (method !== "call-tool") return;
      send = (frame) => answer({ id, ...frame });
      send({ type: "progress", progress: 3, total: 10, message: "digging\u001b" });
    });
    end.send(JSON.stringify({ type: "tools", tools: [{ name: "dig" }] }));
    const messages: string[] = [];
    const context = { progress: (message: string) => void messages.push(message) };
    const running = call(registry, "call-offered-tool", { name: "dig" }, context);
    await vi.waitFor(() => expect(messages).toEqual(['3 of 10: "digging\\u001b"']));
    const { text } = await call(registry, "list-jobs");
    const [jobId] = text.split(" ");
    expect((await call(registry, "get-job", { jobId, waitMs: 0 })).text).toContain(
      'Its progress: 3 of 10: "digging',
    );
    send({ type: "response", ok: true, result: { returns: [], output: "" } });
    expect((await running).isError).toBeUndefined();
  });
});

describe("a client", () => {
  it("is notified once about many changes, and only about those that it sees", async () => {
    vi.useFakeTimers();
    try {
      const registry = createRegistry();
      const seeing = openSession(registry);
      const hidden: ProviderPort = {
        ...lookAt(registry).providers,
        offered: { list: async () => [], get: async () => undefined },
      };
      const blind = openSession(registry, hidden);
      const silent = openSession(registry);
      await Promise.all([seeing.session.list(), blind.session.list()]);
      const { offer } = linkOffering(registry, 12, [door]);
      offer([door, quarry]);
      offer([quarry]);
      await vi.advanceTimersByTimeAsync(99);
      expect(seeing.listChanged).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(seeing.listChanged).toHaveBeenCalledTimes(1);
      offer([door]);
      offer([quarry]);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(seeing.listChanged).toHaveBeenCalledTimes(1);
      expect(blind.listChanged).not.toHaveBeenCalled();
      expect(silent.listChanged).not.toHaveBeenCalled();
      seeing.session.close();
      offer([]);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(seeing.listChanged).toHaveBeenCalledTimes(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it("that ignores such news finds and calls them by the pair of tools", async () => {
    const registry = createRegistry();
    const none = await call(registry, "list-offered-tools");
    expect(none.text).toContain(texts.noToolsAreOffered);
    const { offer, calls } = linkOffering(registry, 12, []);
    offer(
      [quarry, { name: "bad", inputSchema: { type: "string" } }],
      [{ file: "/mcp-tools/lift.lua", problem: "lift.lua:3: unexpected symbol" }],
    );
    const { text } = await call(registry, "list-offered-tools");
    expect(text).toContain(texts.toolIsOfferedIn);
    expect(text).toContain(texts.quarryOfferedInTheGame);
    expect(text).toContain('arguments: {"properties":{"depth":');
    expect(text).toContain(texts.notUsableMcpToolsLift);
    expect(text).toContain(texts.notUsableBadOnComputer);
    const args = { name: "quarry", arguments: { depth: 2 } };
    expect((await call(registry, "call-offered-tool", args)).text).toContain('"quarry on 12"');
    expect(calls).toEqual([{ name: "quarry", arguments: { depth: 2 } }]);
    const wrong = await call(registry, "call-offered-tool", { name: "quary" });
    expect(wrong.text).toContain("Did you mean quarry?");
    expect(wrong.isError).toBe(true);
  });
});

describe("the list of offered tools", () => {
  it("is made once for all clients that see the same providers, and again after a change", async () => {
    const registry = createRegistry();
    const { offer } = linkOffering(registry, 1, [quarry]);
    linkOffering(registry, 2, [door]);
    const { offered, providers } = lookAt(registry);
    const without2 = filteredPort(providers, { sees: ({ name }) => !name.includes("2") });
    const first = await offered.list(providers);
    expect(first.tools.map(({ name }) => name)).toEqual(["quarry", "door"]);
    expect((await offered.list(without2)).tools.map(({ name }) => name)).toEqual(["quarry"]);
    expect(await offered.list(filteredPort(providers, {}))).toBe(first);
    offer([{ ...quarry, description: "Digs deeper." }]);
    const changed = await offered.list(providers);
    expect(changed.tools[0]?.description).toContain("Digs deeper.");
    expect((await offered.list(without2)).tools[0]?.description).toContain("Digs deeper.");
  });
});
