import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Registry, type RegistryChange, type RegistryLimits } from "../../../src/index.js";
import { Pages, type PagesOptions } from "../../../src/kinds/page/pages.js";
import { FakePage } from "./fake-page.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(options: PagesOptions = {}, limits: Partial<RegistryLimits> = {}) {
  const registry = new Registry(limits);
  const changes: RegistryChange[] = [];
  registry.changes.subscribe((change) => changes.push(change));
  return { registry, pages: new Pages(registry, options), changes };
}

function offered({ registry }: { registry: Registry }, page: FakePage): string[] {
  const { tools } = registry.offered.of(page.link.provider.key);
  return tools.filter(({ missing }) => missing === undefined).map(({ name }) => name);
}

const patience = { timeoutMs: 5_000, cancelGraceMs: 0 };

describe("a page", () => {
  it("that returns again and again under new names shuts no other page out", () => {
    const { pages } = open({ maxSessions: 4 });
    const granted = new FakePage(pages, { session: "granted" });
    pages.grant("granted", ["dom:write"]);
    granted.link.closed("gone");
    const staying = new FakePage(pages, { session: "staying" });
    for (let round = 0; round < 20; round++) {
      vi.advanceTimersByTime(1);
      new FakePage(pages, { session: `new-${round}` }).link.closed("gone");
    }
    const other = new FakePage(pages, { session: "other" });
    expect(other.closedWith).toBeUndefined();
    expect(staying.link.open).toBe(true);
    expect(pages.sessions.missing("granted", undefined, ["dom:write"])).toEqual([]);
    expect(pages.sessions.size).toBe(4);
  });

  it("is linked at once in the session of its address", () => {
    const { pages, registry } = open();
    const page = new FakePage(pages, { session: "s1" });
    expect(registry.size).toBe(1);
    expect(page.link.provider).toMatchObject({
      kind: "page",
      name: "page http://localhost:5173",
      session: "s1",
      site: "http://localhost:5173",
    });
    expect(JSON.stringify([page.link.provider.key, page.link.name])).not.toContain("s1");
  });

  it("joins the common session with its first message when its address names none", () => {
    const { pages, registry } = open();
    const page = new FakePage(pages);
    expect(registry.size).toBe(0);
    expect(page.ask("ping")).toMatchObject({ result: { pong: true } });
    expect(registry.size).toBe(1);
    expect(page.link.provider.session).toBeUndefined();
  });

  it("may create a session or join one first, but not later", () => {
    const { pages } = open();
    const maker = new FakePage(pages);
    const created = maker.ask("session/create")?.result as { sessionId: string; expiresAt: number };
    expect(created.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(created.expiresAt).toBe(Date.now() + 3_600_000);
    expect(maker.link.provider.session).toBe(created.sessionId);

    const { sessionId } = created;
    const guest = new FakePage(pages);
    expect(guest.ask("session/join", { sessionId })).toMatchObject({ result: { sessionId } });
    expect(guest.ask("session/join", { sessionId: "other" })).toMatchObject({
      error: { code: -32600 },
    });
    const early = new FakePage(pages);
    early.register("a");
    expect(early.ask("session/create")).toMatchObject({ error: { code: -32600 } });
    expect(early.ask("session/join", { sessionId: "a b" })).toMatchObject({
      error: { code: -32602 },
    });
  });

  it("has a place of its own beside others of its site, and finds it again after a reload", () => {
    const { pages, registry } = open();
    const session = "s1";
    const [first, second] = [new FakePage(pages, { session }), new FakePage(pages, { session })];
    expect(registry.size).toBe(2);
    expect(first.closedWith).toBeUndefined();
    expect(second.link.name).toBe("page http://localhost:5173 (2)");
    const { key } = first.link.provider;
    first.leave();
    expect(new FakePage(pages, { session }).link.provider.key).toBe(key);
    expect(new FakePage(pages, { session: "s2" }).link.provider.key).not.toBe(key);
  });

  it("takes no place that a page has on another bridge, unless that was the same tab", () => {
    const { pages, registry } = open();
    const session = "s1";
    const first = new FakePage(pages, { session, tab: "a" });
    const { provider } = first.link;
    first.leave();
    registry.elsewhere = (key) => (key === provider.key ? { provider } : undefined);
    const names = [{ tab: "b" }, {}].map(
      (more) => new FakePage(pages, { session, ...more }).link.name,
    );
    expect(names).toEqual(["page http://localhost:5173 (2)", "page http://localhost:5173 (3)"]);
    expect(new FakePage(pages, { session, tab: "a" }).link.provider.key).toBe(provider.key);
  });

  it("is refused when there are too many, in total or in its session", () => {
    const { pages } = open({ maxPages: 3, maxSessionPages: 2 });
    const session = "s1";
    const inSession = [1, 2, 3].map(() => new FakePage(pages, { session }));
    expect(inSession.map(({ closedWith }) => closedWith?.code)).toEqual([
      undefined,
      undefined,
      4429,
    ]);
    expect(inSession[2]?.heard).toEqual([
      {
        jsonrpc: "2.0",
        method: "bridge/refused",
        params: { message: expect.stringContaining("This session has 2 pages") },
      },
    ]);
    new FakePage(pages, { session: "s2" });
    expect(new FakePage(pages, { session: "s3" }).closedWith?.code).toBe(4429);
    expect(pages.connections).toBe(3);
  });

  it("never has a request without an answer", () => {
    const { pages } = open();
    const page = new FakePage(pages);
    expect(page.ask("hello")).toMatchObject({ error: { code: -32601 } });
    expect(page.ask("tools/register")).toMatchObject({ error: { code: -32602 } });
    expect(page.ask("tools/call", { name: "x" })).toMatchObject({ error: { code: -32601 } });
    page.link.receive('{"jsonrpc":"2.0","id":7,"method":7}');
    expect(page.heard.at(-1)).toMatchObject({ id: 7, error: { code: -32600 } });
  });

  it("is closed when it sends nothing but nonsense, and at once for binary messages", () => {
    const { pages, changes } = open({}, { maxMalformed: 3 });
    const page = new FakePage(pages);
    for (const text of ["{", "[]", "7"]) page.link.receive(text);
    expect(page.closedWith?.code).toBe(1008);
    expect(changes.filter(({ topic }) => topic === "problem")).toHaveLength(1);
    const other = new FakePage(pages);
    other.link.receiveBinary();
    expect(other.closedWith?.code).toBe(1003);
  });

  it("that does not read is dropped", () => {
    const { pages, registry } = open({}, { maxBufferedBytes: 1_000 });
    const page = new FakePage(pages);
    page.register("a");
    page.bufferedBytes = 2_000;
    page.say({ id: 1, method: "ping" });
    expect(registry.size).toBe(0);
  });
});

describe("tools of a page", () => {
  it("are the last list that it registered", () => {
    const scene = open();
    const page = new FakePage(scene.pages);
    expect(page.register("a", "b")).toMatchObject({ result: { registered: 2 } });
    expect(offered(scene, page)).toEqual(["a", "b"]);
    page.register("c");
    expect(offered(scene, page)).toEqual(["c"]);
    page.register();
    expect(offered(scene, page)).toEqual([]);
  });

  it("that cannot be used are reported and cost the others nothing", () => {
    const scene = open();
    const page = new FakePage(scene.pages);
    page.register({ name: "bad", inputSchema: { type: "string" } }, "evaluate", "good");
    expect(offered(scene, page)).toEqual(["good"]);
    expect(scene.registry.offered.of(page.link.provider.key).broken).toEqual([
      { file: "bad", problem: expect.stringContaining("must be an object") },
      { file: "evaluate", problem: expect.stringMatching(/without registering it/) },
    ]);
  });

  it("are requested once when the page does not send them", async () => {
    const scene = open();
    const page = new FakePage(scene.pages);
    await vi.advanceTimersByTimeAsync(1_000);
    page.answer(page.request("tools/list"), { tools: [{ name: "stored" }] });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(offered(scene, page)).toEqual(["stored"]);
    expect(page.heard.filter(({ method }) => method === "tools/list")).toHaveLength(1);
  });

  it("are not requested when the page sends them, and the latest list wins", async () => {
    const scene = open();
    const quick = new FakePage(scene.pages);
    quick.register("a");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(quick.heard.some(({ method }) => method === "tools/list")).toBe(false);

    const slow = new FakePage(scene.pages);
    await vi.advanceTimersByTimeAsync(1_000);
    slow.register("reported");
    slow.answer(slow.request("tools/list"), [{ name: "bare" }]);
    await vi.advanceTimersByTimeAsync(1);
    expect(offered(scene, slow)).toEqual(["reported"]);
  });

  it("are read a few times at once, then once in a while, and the last list counts", async () => {
    const scene = open();
    const page = new FakePage(scene.pages);
    for (let i = 1; i <= 1_000; i++) page.register(`t${i}`);
    expect(offered(scene, page)).toEqual(["t10"]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(offered(scene, page)).toEqual(["t1000"]);
    page.register("next");
    expect(offered(scene, page)).toEqual(["next"]);
  });

  it("go with their page", () => {
    const scene = open();
    const page = new FakePage(scene.pages);
    page.register("a");
    page.leave();
    expect(scene.registry.offered.all().size).toBe(0);
  });
});

describe("a call", () => {
  it("reaches the page with its arguments and brings the result back", async () => {
    const { pages } = open();
    const page = new FakePage(pages);
    page.register("add");
    const args = { list: [1, { a: null }], __proto__x: "y" };
    const call = page.link.request("call-tool", { name: "add", arguments: args }, patience);
    const request = page.request("tools/call");
    expect(request.params).toEqual({ name: "add", arguments: args });
    page.answer(request, { total: 3 });
    expect(await call).toEqual({ ok: true, result: { total: 3 } });
  });

  it("fails with the page's message and code", async () => {
    const { pages } = open();
    const page = new FakePage(pages);
    page.register("add");
    const call = page.link.request("call-tool", { name: "add", arguments: {} }, patience);
    const { id } = page.request("tools/call");
    const error = { code: "CELL_NOT_FOUND", message: "No cell A1" } as never;
    page.say({ id: id ?? null, error });
    expect(await call).toEqual({
      ok: false,
      error: "No cell A1",
      result: { btcpCode: "CELL_NOT_FOUND" },
    });
  });

  it.each(["evaluate", "echo", "other", "constructor"])("of %s is not passed on", async (name) => {
    const { pages } = open();
    const page = new FakePage(pages);
    page.register("add", "evaluate", "echo");
    await expect(page.link.request("call-tool", { name }, patience)).rejects.toThrow(
      /no longer offers/,
    );
    expect(page.heard.some(({ method }) => method === "tools/call")).toBe(false);
  });

  it("fails at once when its page leaves, and a late answer changes nothing", async () => {
    const { pages } = open();
    const session = "s1";
    const page = new FakePage(pages, { session });
    page.register("add");
    const params = { name: "add", arguments: {} };
    const lost = page.link.request("call-tool", params, patience);
    const request = page.request("tools/call");
    page.leave();
    await expect(lost).rejects.toMatchObject({ code: "disconnected" });
    const again = new FakePage(pages, { session });
    again.register("add");
    const call = again.link.request("call-tool", params, patience);
    again.answer(request, "late");
    again.answer(again.request("tools/call"), "right");
    expect(await call).toEqual({ ok: true, result: "right" });
  });

  it("that takes too long or is cancelled is reported to the page", async () => {
    const { pages } = open();
    const page = new FakePage(pages);
    page.register("slow");
    const params = { name: "slow", arguments: {} };
    const call = page.link.request("call-tool", params, { ...patience, timeoutMs: 1_500 });
    const failed = expect(call).rejects.toMatchObject({ code: "timed-out" });
    await vi.advanceTimersByTimeAsync(1_500);
    await failed;
    const requestId = page.request("tools/call").id;
    expect(page.request("notifications/cancelled").params).toMatchObject({ requestId });

    const controller = new AbortController();
    const options = { ...patience, signal: controller.signal };
    const aborted = page.link.request("call-tool", params, options);
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: "cancelled" });
    expect(page.request("notifications/cancelled").params?.requestId).toBe(
      page.request("tools/call").id,
    );
  });

  it("that is too large is refused before anything is sent", async () => {
    const { pages } = open();
    const page = new FakePage(pages);
    page.register("add");
    const params = { name: "add", arguments: { text: "x".repeat(2_000_000) } };
    await expect(page.link.request("call-tool", params, patience)).rejects.toMatchObject({
      code: "too-large",
    });
  });
});

describe("capabilities", () => {
  const writer = { name: "write", capabilities: ["dom:write"] };
  const reader = { name: "read", capabilities: ["dom:read"] };
  const filmer = { name: "film", capabilities: ["media:camera"] };

  it("hide the tools that need what is not granted", () => {
    const scene = open();
    const page = new FakePage(scene.pages);
    page.register(writer, reader, filmer);
    expect(offered(scene, page)).toEqual(["read"]);
    expect(scene.registry.offered.of(page.link.provider.key).tools[0]).toMatchObject({
      name: "write",
      missing: ["dom:write"],
    });
  });

  it("are granted by configuration, by site and session", () => {
    const scene = open({
      grants: (session, site) => (session === "s1" && site === "https://a.example" ? ["*"] : []),
    });
    const pages = [
      new FakePage(scene.pages, { session: "s1", site: "https://a.example" }),
      new FakePage(scene.pages, { session: "s2", site: "https://a.example" }),
      new FakePage(scene.pages, { session: "s1", site: "https://b.example" }),
    ];
    for (const page of pages) page.register(writer, reader, filmer);
    expect(pages.map((page) => offered(scene, page))).toEqual([
      ["write", "read", "film"],
      ["read"],
      ["read"],
    ]);
  });

  it("that a person grants show the tools, in that session alone, and outlast a reload", () => {
    const scene = open();
    const mine = new FakePage(scene.pages, { session: "s1" });
    const other = new FakePage(scene.pages, { session: "s2" });
    for (const page of [mine, other]) page.register(writer);
    const asked = ["dom:write", "media:camera", "dom:read", "nonsense!"];
    expect(scene.pages.requestCapabilities("s1", asked)).toEqual({
      granted: ["dom:read"],
      denied: ["media:camera", "nonsense!"],
      pending: ["dom:write"],
    });
    scene.pages.grant("s1", ["dom:write"]);
    expect([offered(scene, mine), offered(scene, other)]).toEqual([["write"], []]);
    expect(scene.pages.requestCapabilities("s1", asked).granted).toEqual(["dom:write", "dom:read"]);
    mine.leave();
    const again = new FakePage(scene.pages, { session: "s1" });
    again.register(writer);
    expect(offered(scene, again)).toEqual(["write"]);
  });

  it("cannot be granted by the page itself", () => {
    const scene = open();
    const page = new FakePage(scene.pages);
    page.register(writer);
    for (const method of ["capabilities/grant", "capabilities/request"]) {
      expect(page.ask(method, { capabilities: ["dom:write"] })).toMatchObject({
        error: { data: { btcpCode: "CAPABILITY_DENIED" } },
      });
    }
    expect(offered(scene, page)).toEqual([]);
  });

  it("of a person end when the session is not used for long, or has no pages for a while", async () => {
    const scene = open({ sessionIdleMs: 1_000, sessionTtlMs: 10_000 }, { heartbeatMs: 1_000 });
    const page = new FakePage(scene.pages, { session: "s1" });
    page.register(writer);
    scene.pages.grant("s1", ["dom:write"]);
    const alive = setInterval(() => page.say({ id: "p", method: "ping" }), 1_000);
    await vi.advanceTimersByTimeAsync(8_000);
    expect(offered(scene, page)).toEqual(["write"]);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(offered(scene, page)).toEqual([]);
    clearInterval(alive);

    scene.pages.grant("s1", ["dom:write"]);
    page.leave();
    await vi.advanceTimersByTimeAsync(2_000);
    const again = new FakePage(scene.pages, { session: "s1" });
    again.register(writer);
    expect(offered(scene, again)).toEqual([]);
  });
});
