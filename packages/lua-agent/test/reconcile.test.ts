import { splitFrame } from "@ccbridge/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { greet, type Link } from "./scripted-bridge.js";
import { startAgent } from "./start-agent.js";

const greeting = greet({ jobs: [] });

const unknown = async (link: Link, ids: string[]) => {
  const response = await link.request("check-requests", { ids });
  return (response.result as { unknown: string[] }).unknown;
};

describe("check-requests", () => {
  it("names what never arrived, and nothing that runs, is kept or has finished", async () => {
    await using agent = await startAgent({ greeting });
    const link = await agent.link();
    const runs = link.send("exec-lua", { code: "sleep(1000)" });
    const kept = link.send("exec-lua", { code: "return 1" });
    const over = link.send("exec-lua", { code: "return 2" });
    const refused = link.send("dance");
    await link.response(kept);
    await link.response(over);
    link.sendRaw({ type: "ack", id: over });
    expect(await unknown(link, [runs, "lost-1", kept, over, refused, "lost-2"])).toEqual([
      "lost-1",
      "lost-2",
    ]);
    expect(await unknown(link, [])).toEqual([]);
  });

  it("is answered at once while code computes, and refuses what is not a list of ids", async () => {
    await using agent = await startAgent({ greeting });
    const link = await agent.link();
    const busy = link.send("exec-lua", { code: "while true do end" });
    expect(await unknown(link, [busy, "lost"])).toEqual(["lost"]);
    for (const params of [undefined, {}, { ids: "all" }, { ids: Array(129).fill("x") }]) {
      expect(await link.request("check-requests", params)).toMatchObject({ ok: false });
    }
  });

  it("remembers the last 256 that are over", async () => {
    await using agent = await startAgent({ greeting });
    const link = await agent.link();
    const ids = Array.from({ length: 257 }, (_, index) => `old-${index}`);
    // One by one: all at once would overflow the event queue.
    for (const id of ids) await link.response(link.send("dance", undefined, id));
    expect(await unknown(link, ids.slice(0, 3))).toEqual(["old-0"]);
    for (let beat = 0; beat < 260; beat++) await link.request("ping");
    expect(await unknown(link, ids.slice(1, 129))).toEqual([]);
  });
});

describe("an acknowledgement", () => {
  it("may name several answers, and leaves the others", async () => {
    await using agent = await startAgent({ greeting });
    const link = await agent.link();
    const ids = [1, 2, 3].map((number) => link.send("exec-lua", { code: `return ${number}` }));
    for (const id of ids) await link.response(id);
    link.sendRaw({ type: "ack", ids: [ids[0], "unknown", ids[2]] });
    await link.request("ping");
    link.drop();
    await agent.world.advance(2_100);
    expect((await agent.link(2)).hello.jobs).toEqual([ids[1]]);
  });
});

describe("a request that comes twice", () => {
  it("runs once, and is answered again as long as its answer is kept", async () => {
    await using agent = await startAgent({ greeting });
    const link = await agent.link();
    const params = {
      code: "_G.runs = (_G.runs or 0) + 1 if runs == 1 then os.pullEvent('go') end",
    };
    const id = link.send("exec-lua", params);
    link.send("exec-lua", params, id);
    await link.request("ping");
    agent.computer.queueEvent("go");
    await link.response(id);
    link.send("exec-lua", params, id);
    await link.until("the answer again", () => link.responses(id).length === 2);
    link.sendRaw({ type: "ack", id });
    link.send("exec-lua", params, id);
    expect(await link.exec("return runs")).toMatchObject({
      result: { returns: [{ type: "number", value: 1 }] },
    });
    expect(link.responses(id).length).toBe(2);
    expect(link.responses(id)[1]).toEqual(link.responses(id)[0]);
  });
});

describe("a cancel", () => {
  it("of what never arrived is answered, and then it never runs", async () => {
    await using agent = await startAgent({ greeting });
    const link = await agent.link();
    link.cancel("dropped");
    expect(await link.response("dropped")).toEqual({
      type: "response",
      id: "dropped",
      ok: false,
      error: "unknown request",
    });
    link.send("exec-lua", { code: "_G.ran = true" }, "dropped");
    expect(await link.exec("return ran")).toMatchObject({ result: { returns: [{ type: "nil" }] } });
    expect(link.responses("dropped").length).toBe(1);
  });

  it("of a finished request is confirmed by its answer, idempotently", async () => {
    await using agent = await startAgent({ greeting });
    const link = await agent.link();
    const id = link.send("exec-lua", { code: "print('x') return 5" });
    const first = await link.response(id);
    link.cancel(id);
    link.cancel(id);
    await link.until("three answers", () => link.responses(id).length === 3);
    expect(link.responses(id)).toEqual([first, first, first]);
    link.sendRaw({ type: "ack", id });
    link.cancel(id);
    await link.request("ping");
    expect(link.responses(id).length).toBe(3);
  });
});

describe("a transfer with a missing chunk", () => {
  it("is dropped, however many there are, and the request comes through as a new one", async () => {
    await using agent = await startAgent({ greeting });
    const link = await agent.link();
    const text = JSON.stringify({
      type: "request",
      id: "big",
      method: "exec-lua",
      params: { code: `--${"x".repeat(900_000)}\nreturn 'whole'` },
    });
    const cut = (transfer: string) => splitFrame(text, 100_000, transfer);
    for (let round = 0; round < 12; round++) {
      const missing = round % cut("t").length;
      cut(`t${round}`).forEach((message, index) => {
        if (index !== missing) link.sendRaw(message);
      });
    }
    expect(await unknown(link, ["big"])).toEqual(["big"]);
    for (const message of cut("again")) link.sendRaw(message);
    expect(await link.response("big")).toMatchObject({
      ok: true,
      result: { returns: [{ value: "whole" }] },
    });
  });

  it("keeps the order: what is sent after a long request comes after it", async () => {
    await using agent = await startAgent({ greeting });
    const link = await agent.link();
    const id = link.send("exec-lua", {
      code: `--${'say "hi"\\n'.repeat(150_000)}\nprint('began') sleep(1000)`,
    });
    link.cancel(id);
    expect(await unknown(link, [id])).toEqual([]);
    expect(await link.response(id)).toMatchObject({ ok: false, error: "cancelled" });
    expect(agent.computer.stats.softAborts).toBe(0);
  });
});

describe("both sides agree again", () => {
  it("whatever the game drops, every request runs exactly once", async () => {
    await using agent = await startAgent({ greeting });
    const link = await agent.link();
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ drops: fc.nat(3), twice: fc.boolean(), quick: fc.boolean() }), {
          minLength: 1,
          maxLength: 12,
        }),
        async (requests) => {
          round++;
          await link.exec("_G.ran = {}");
          const wanted = requests.map((request, index) => ({
            ...request,
            id: `round-${round}-${index}`,
            code: `ran[${index + 1}] = (ran[${index + 1}] or 0) + 1 ${request.quick ? "" : "sleep(0)"}`,
          }));
          const send = (request: (typeof wanted)[number]) => {
            if (request.drops-- > 0) return;
            link.send("exec-lua", { code: request.code }, request.id);
            if (request.twice) link.send("exec-lua", { code: request.code }, request.id);
          };
          wanted.forEach(send);
          for (;;) {
            const missing = await unknown(
              link,
              wanted.map(({ id }) => id),
            );
            if (missing.length === 0) break;
            for (const request of wanted) if (missing.includes(request.id)) send(request);
          }
          await agent.world.advance(100);
          await Promise.all(wanted.map(({ id }) => link.response(id)));
          const [counts] = (
            (await link.exec("return ran")).result as { returns: { value: unknown }[] }
          ).returns;
          expect(counts?.value).toEqual(wanted.map(() => 1));
          for (const { id } of wanted) link.sendRaw({ type: "ack", id });
        },
      ),
      { numRuns: 25 },
    );
  });
});

it("does not list a request that is no job: the bridge gave it up with its link", async () => {
  await using agent = await startAgent({ greeting: greet({ jobs: [] }) });
  const link = await agent.link();
  const job = link.send("exec-lua", { code: "sleep(1000)" });
  // Answered, and never acknowledged.
  expect(await link.request("list-files", { path: "/" })).toMatchObject({ ok: true });
  link.drop();
  await agent.shows("next try in");
  await agent.world.advance(2_100);
  const second = await agent.link(2);
  expect(second.hello.jobs).toEqual([job]);
  await second.request("ping");
  expect(second.of("response")).toHaveLength(1);
});

describe("the run of the program", () => {
  it("stays the same over links, unless an answer was forgotten, and is another after a start", async () => {
    await using agent = await startAgent({ greeting });
    const next = async (number: number, link: Link) => {
      link.drop();
      await agent.shows("next try in");
      await agent.world.advance(2_100);
      return agent.link(number);
    };
    const first = await agent.link();
    for (let job = 0; job < 16; job++) await first.exec("return 1");
    const second = await next(2, first);
    expect(second.hello.run).toBe(first.hello.run);
    expect(second.hello.jobs).toHaveLength(16);
    await second.exec("return 'one more than are kept'");
    const third = await next(3, second);
    expect(third.hello.run).not.toBe(first.hello.run);
    expect(third.hello.jobs).toHaveLength(16);
    await agent.shows("linked as");
    agent.computer.terminate();
    await agent.prompt();
    agent.computer.type("mcp-computer\n");
    const { hello } = await agent.link(4);
    expect(hello.run).toEqual(expect.any(String));
    expect([first.hello.run, third.hello.run]).not.toContain(hello.run);
  });
});
