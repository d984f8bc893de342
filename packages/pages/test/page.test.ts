import { once } from "node:events";
import { decodeMessage, readTools, toPageResult } from "@ccbridge/protocol/btcp";
import { afterEach, describe, expect, expectTypeOf, it, onTestFinished, vi } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { listen, open, until } from "./bridge.js";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("connecting", () => {
  it("asks for the session, and for the token in the path", async () => {
    const bridge = await listen();
    open({ url: `${bridge.url}/`, session: "a-1", token: "t/1" });
    expect((await bridge.page()).target).toBe("/t%2F1/ws?sessionId=a-1&clientType=browser");
  });

  it("joins the common session when none is given", async () => {
    const bridge = await listen();
    open({ url: `${bridge.url}/ws` });
    expect((await bridge.page()).target).toBe("/ws?clientType=browser");
  });

  it("answers ping, tools/list and what it does not know", async () => {
    const bridge = await listen();
    open({ url: bridge.url }).tool({ name: "a", description: "d", run: () => 1 });
    const socket = await bridge.page();
    socket.send({ id: 7, method: "ping", params: {} });
    socket.send({ id: "l", method: "tools/list", params: {} });
    socket.send({ id: "u", method: "capabilities/request", params: {} });
    expect(await socket.until(({ id }) => id === 7)).toMatchObject({ result: { pong: true } });
    expect(await socket.answer("l")).toMatchObject({ result: { tools: [{ name: "a" }] } });
    expect(await socket.answer("u")).toMatchObject({ error: { code: -32601 } });
  });

  it("survives what is not a message", async () => {
    const bridge = await listen();
    open({ url: bridge.url });
    const socket = await bridge.page();
    for (const text of ["{", "5", "null", "[]", "{}"]) socket.socket.send(text);
    socket.send({ id: "p", method: "ping" });
    expect(await socket.answer("p")).toMatchObject({ result: { pong: true } });
  });
});

describe("tools", () => {
  it("are registered together, as the bridge reads them", async () => {
    const bridge = await listen();
    const page = open({ url: bridge.url });
    page.tool({
      name: "paint",
      description: "Paints a cell.",
      input: {
        x: { type: "integer", description: "column", minimum: 0 },
        colour: { type: "string", enum: ["red", "blue"], default: "red" },
        note: { type: "string", optional: true },
      },
      capabilities: ["dom:write"],
      timeoutMs: 5_000,
      run: ({ x }) => x,
    });
    const remove = page.tool({ name: "read", description: "Reads.", run: () => "" });
    const socket = await bridge.page();
    const { params } = await socket.registration(["paint", "read"]);
    expect(readTools((params as { tools: unknown[] }).tools)).toEqual({
      problems: [],
      tools: [
        {
          name: "paint",
          description: "Paints a cell.",
          inputSchema: {
            type: "object",
            properties: {
              x: { type: "integer", description: "column", minimum: 0 },
              colour: { type: "string", enum: ["red", "blue"], default: "red" },
              note: { type: "string" },
            },
            required: ["x"],
          },
          capabilities: ["dom:write"],
          timeoutMs: 5_000,
        },
        {
          name: "read",
          description: "Reads.",
          inputSchema: { type: "object", properties: {} },
          capabilities: [],
          timeoutMs: 30_000,
        },
      ],
    });
    remove();
    await socket.registration(["paint"]);
  });

  it("that were replaced are not taken back by their old owner", async () => {
    const bridge = await listen();
    const page = open({ url: bridge.url });
    const removeOld = page.tool({ name: "a", description: "old", run: () => "old" });
    page.tool({ name: "a", description: "new", run: () => "new" });
    removeOld();
    const socket = await bridge.page();
    await socket.registration(["a"]);
    expect(await socket.call("1", "a")).toMatchObject({ result: { content: [{ text: "new" }] } });
  });

  it("get their arguments typed, with defaults filled in", async () => {
    const bridge = await listen();
    const page = open({ url: bridge.url });
    page.tool({
      name: "a",
      description: "d",
      input: {
        count: { type: "integer" },
        colour: { type: "string", enum: ["red", "blue"], default: "red" },
        note: { type: "string", optional: true },
      },
      run(args) {
        expectTypeOf(args.count).toEqualTypeOf<number>();
        expectTypeOf(args.colour).toEqualTypeOf<"red" | "blue">();
        expectTypeOf(args.note).toEqualTypeOf<string | undefined>();
        return args;
      },
    });
    const answer = await (await bridge.page()).call("1", "a", { count: 2 });
    expect(answer.result).toEqual({
      content: [{ type: "text", text: '{"count":2,"colour":"red"}' }],
      isError: false,
    });
  });
});

describe("calls", () => {
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]);
  const content = [{ type: "text", text: "mine" }];

  it.each([
    ["text", () => "clicked", [{ type: "text", text: "clicked" }]],
    ["a value", async () => ({ a: [1] }), [{ type: "text", text: '{"a":[1]}' }]],
    ["nothing", () => undefined, [{ type: "text", text: "Done." }]],
    ["an object with its own content", () => ({ content: "x" }), [{ text: '{"content":"x"}' }]],
    ["MCP content", () => ({ content }), content],
    [
      "a picture",
      () => new Blob([png], { type: "image/png" }),
      [{ type: "image", data: "iVBORw0KGgoAAAAA", mimeType: "image/png" }],
    ],
  ])("give %s", async (_, run, expected) => {
    const bridge = await listen();
    open({ url: bridge.url }).tool({ name: "a", description: "d", run });
    const answer = await (await bridge.page()).call("1", "a");
    expect(decodeMessage(JSON.stringify(answer))).toMatchObject({ ok: true });
    expect(toPageResult(answer.result).content).toMatchObject(expected);
  });

  it.each([
    ["an error", () => new Error("no cell"), "no cell", "EXECUTION_ERROR"],
    [
      "an error with a code",
      () => Object.assign(new Error("no cell"), { code: "CELL_NOT_FOUND" }),
      "no cell",
      "CELL_NOT_FOUND",
    ],
    ["a text", () => "broken", "broken", "EXECUTION_ERROR"],
    ["nothing", () => undefined, "undefined", "EXECUTION_ERROR"],
  ])("fail with %s that was thrown", async (_, thrown, message, btcpCode) => {
    const bridge = await listen();
    const run = () => {
      throw thrown();
    };
    open({ url: bridge.url }).tool({ name: "a", description: "d", run });
    const { error } = await (await bridge.page()).call("1", "a");
    expect(error).toEqual({ code: -32603, message, data: { btcpCode } });
  });

  it("of unknown tools are refused, including names that every object has", async () => {
    const bridge = await listen();
    open({ url: bridge.url });
    const socket = await bridge.page();
    for (const name of ["evaluate", "constructor", "__proto__"]) {
      expect(await socket.call(name, name)).toMatchObject({ error: { code: -32601 } });
    }
  });

  it("run beside each other and are called off one by one", async () => {
    const bridge = await listen();
    const page = open({ url: bridge.url });
    const signals: AbortSignal[] = [];
    page.tool({
      name: "wait",
      description: "d",
      run: (_, { signal }) =>
        new Promise((resolve) => {
          signals.push(signal);
          signal.addEventListener("abort", resolve);
        }),
    });
    page.tool({ name: "quick", description: "d", run: () => "now" });
    const socket = await bridge.page();
    void socket.call("w1", "wait");
    void socket.call("w2", "wait");
    await socket.call("q", "quick");
    socket.send({ method: "notifications/cancelled", params: { requestId: "w1" } });
    await socket.call("q2", "quick");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(socket.received.some(({ id }) => id === "w1")).toBe(false);
  });
});

describe("coming back", () => {
  it("registers again and never answers calls of the lost connection", async () => {
    const bridge = await listen();
    const states: string[] = [];
    const page = open({ url: bridge.url, onState: (state) => states.push(state) });
    let finish: (value: string) => void = () => {};
    page.tool({
      name: "slow",
      description: "d",
      run: () => new Promise((resolve) => (finish = resolve)),
    });
    page.tool({ name: "quick", description: "d", run: () => "now" });
    const first = await bridge.page(0);
    void first.call("slow-1", "slow");
    await first.call("quick-1", "quick");
    first.socket.terminate();
    const second = await bridge.page(1);
    await second.registration(["slow", "quick"]);
    finish("late");
    await second.call("quick-2", "quick");
    expect(second.received.some(({ id }) => id === "slow-1")).toBe(false);
    expect(states).toEqual(["connected", "connecting", "connected"]);
  });

  it("waits longer after each failure, and does not wait when the network is back", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const network = new EventTarget();
    vi.stubGlobal("addEventListener", network.addEventListener.bind(network));
    vi.stubGlobal("removeEventListener", network.removeEventListener.bind(network));
    const bridge = await listen();
    let attempts = 0;
    bridge.server.options.verifyClient = (_info, done) => {
      attempts += 1;
      done(attempts > 3, 503);
    };
    open({ url: bridge.url });
    for (const ms of [500, 1_000]) {
      const before = attempts;
      await until(() => vi.getTimerCount() === 1);
      await vi.advanceTimersByTimeAsync(ms - 1);
      expect(vi.getTimerCount()).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      await until(() => attempts > before);
    }
    await until(() => vi.getTimerCount() === 1);
    network.dispatchEvent(new Event("online"));
    await bridge.page();
    expect(attempts).toBe(4);
  });

  it("gives up a bridge that answers nothing, not even a ping", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const bridge = await listen();
    const reasons: (string | undefined)[] = [];
    open({ url: bridge.url, onState: (_, reason) => reasons.push(reason) });
    const first = await bridge.page(0);
    await first.registration([]);
    await vi.advanceTimersByTimeAsync(30_000);
    await first.until(({ method }) => method === "ping");
    await vi.advanceTimersByTimeAsync(30_000);
    expect(reasons.at(-1)).toBe(texts.theBridgeDoesNot);
    await vi.advanceTimersByTimeAsync(1_000);
    await (await bridge.page(1)).registration([]);
  });

  it("says in the console why the bridge refuses the page", async () => {
    const errors = vi.spyOn(console, "error").mockReturnValue();
    const bridge = await listen();
    const message = "Pages from http://a.example may not connect: add it to CC_PAGES_ORIGINS.";
    bridge.server.on("connection", (socket) => {
      const params = { message };
      socket.send(JSON.stringify({ jsonrpc: "2.0", method: "bridge/refused", params }));
      socket.close(4403, "refused");
    });
    const reported = new Promise((resolve) => {
      open({ url: bridge.url, onState: (_, reason) => reason && resolve(reason) });
    });
    expect(await reported).toBe(message);
    expect(errors).toHaveBeenCalledWith(`ccbridge: ${message}`);
  });

  it("does not come back once it was closed", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const bridge = await listen();
    const page = open({ url: bridge.url });
    const { socket } = await bridge.page();
    await until(() => page.state === "connected");
    page.close();
    expect((await once(socket, "close"))[0]).toBe(1000);
    expect(page.state).toBe("closed");
    const dialled = vi.fn();
    bridge.server.on("connection", dialled);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(vi.getTimerCount()).toBe(0);
    expect(dialled).not.toHaveBeenCalled();
  });
});

describe("a page of the same tab", () => {
  const stubStorage = () => {
    const stored = new Map<string, string>();
    vi.stubGlobal("sessionStorage", {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
    });
    return stored;
  };
  const tabOf = ({ target }: { target: string }) =>
    new URL(target, "http://bridge").searchParams.get("tab");

  it("that takes its place makes it another tab: a copy of a tab has its id", async () => {
    const stored = stubStorage();
    const bridge = await listen();
    open({ url: bridge.url });
    const first = await bridge.page(0);
    const tab = tabOf(first);
    expect(tab).toContain(stored.get("ccbridge-tab"));
    first.socket.close(4409, "another page took its place");
    const second = await bridge.page(1);
    expect(tabOf(second)).not.toBe(tab);
    // After a reload it keeps that.
    expect(tabOf(second)).toContain(stored.get("ccbridge-tab"));
    second.socket.close(1001);
    expect(tabOf(await bridge.page(2))).toBe(tabOf(second));
  });

  it("is the same page when it connects again with the same options", async () => {
    const bridge = await listen();
    const states: string[] = [];
    const before = open({ url: bridge.url, name: "Shop" });
    before.tool({ name: "buy", description: "d", run: () => "old" });
    const socket = await bridge.page();
    const again = open({
      url: bridge.url,
      name: "Shop",
      onState: (state) => states.push(state),
    });
    again.tool({ name: "buy", description: "d", run: () => "new" });
    expect(again).toBe(before);
    expect(await socket.call("c", "buy")).toMatchObject({
      result: { content: [{ text: "new" }] },
    });
    expect(states).toEqual(["connected"]);
    const other = open({ url: bridge.url, name: "Other" });
    expect(other).not.toBe(before);
    before.close();
    expect(states).toEqual(["connected", "closed"]);
    expect(open({ url: bridge.url, name: "Shop" })).not.toBe(before);
  });
});

it("registers its tools with the browser too, and takes them back", async () => {
  const bridge = await listen();
  const registered = new Map<string, { title?: string; execute(input: object): unknown }>();
  const registerTool = (
    tool: { name: string; execute(input: object): unknown },
    { signal }: { signal: AbortSignal },
  ) => {
    registered.set(tool.name, tool);
    signal.addEventListener("abort", () => registered.delete(tool.name));
  };
  vi.stubGlobal("document", { title: "t", modelContext: { registerTool } });
  onTestFinished(() => void vi.unstubAllGlobals());
  const page = open({ url: bridge.url });
  const input = { a: { type: "integer", default: 2 } } as const;
  const remove = page.tool({
    name: "double",
    title: "Double",
    description: "d",
    input,
    run: ({ a }) => 2 * a,
  });
  page.tool({ name: "other", description: "d", run: () => 1 });
  await vi.waitFor(() => expect([...registered.keys()]).toEqual(["double", "other"]));
  expect(registered.get("double")).toMatchObject({ title: "Double" });
  expect(registered.get("double")?.execute({})).toBe(4);
  remove();
  expect([...registered.keys()]).toEqual(["other"]);
  page.close();
  expect(registered.size).toBe(0);
});
