import fc from "fast-check";
import { expect, it } from "vitest";
import { Registry } from "../../../src/index.js";
import { Pages } from "../../../src/kinds/page/pages.js";
import { PageStreams } from "../../../src/kinds/page/streams.js";
import { FakePage, type Message } from "./fake-page.js";

type Step =
  | { do: "open"; session: string }
  | { do: "leave"; page: number }
  | { do: "call"; page: number }
  /** Any page may answer any request, of this connection or of an earlier one, even twice. */
  | { do: "answer"; request: number; page: number; fails: boolean };

const index = fc.nat({ max: 7 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("open" as const), session: fc.constantFrom("s1", "s2") }),
  fc.record({ do: fc.constant("leave" as const), page: index }),
  fc.record({ do: fc.constant("call" as const), page: index }),
  fc.record({
    do: fc.constant("answer" as const),
    request: index,
    page: index,
    fails: fc.boolean(),
  }),
);

interface Call {
  readonly page: FakePage;
  readonly request: Message;
  /** What must come of it, once that is decided. */
  expected: unknown;
  readonly outcome: Promise<unknown>;
  settled: number;
}

it("gives every call the answer of its own connection, or a reason, exactly once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const pages = new Pages(new Registry());
      const open: FakePage[] = [];
      const calls: Call[] = [];
      const leave = (page: FakePage) => {
        page.leave();
        for (const call of calls) if (call.page === page) call.expected ??= "disconnected";
      };
      for (const action of steps) {
        if (action.do === "open") {
          const page = new FakePage(pages, { session: action.session });
          page.register("t");
          open.push(page);
        } else if (action.do === "leave") {
          const [page] = open.splice(action.page, 1);
          if (page !== undefined) leave(page);
        } else if (action.do === "call") {
          const page = open[action.page];
          if (page !== undefined) calls.push(start(page));
        } else {
          const [page, call] = [open[action.page], calls[action.request]];
          if (page !== undefined && call !== undefined) answer(call, page, action.fails);
        }
      }
      for (const page of open) leave(page);
      for (const call of calls) {
        expect(await call.outcome).toEqual(call.expected);
        expect(call.settled).toBe(1);
      }
      const ids = calls.map(({ request }) => request.id);
      expect(new Set(ids).size).toBe(ids.length);
    }),
    { numRuns: 200 },
  );
});

function start(page: FakePage): Call {
  const request = page.link.request(
    "call-tool",
    { name: "t", arguments: {} },
    { timeoutMs: 60_000 },
  );
  const call: Call = {
    page,
    request: page.request("tools/call"),
    expected: undefined,
    settled: 0,
    outcome: request.then(
      (value) => {
        call.settled += 1;
        return value.ok ? value.result : value.error;
      },
      ({ code }: { code: string }) => {
        call.settled += 1;
        return code;
      },
    ),
  };
  return call;
}

function answer(call: Call, page: FakePage, fails: boolean): void {
  const { id } = call.request;
  if (fails) page.say({ id: id ?? null, error: { code: -32603, message: `failed ${id}` } });
  else page.say({ id: id ?? null, result: `result ${id}` });
  if (page === call.page) call.expected ??= fails ? `failed ${id}` : `result ${id}`;
}

it("writes each request to one stream of a page, and takes answers while one is left", async () => {
  const streamStep = fc.oneof(
    fc.constant({ do: "open" as const }),
    fc.record({ do: fc.constant("end" as const), stream: index }),
    fc.constant({ do: "call" as const }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(streamStep, { maxLength: 30 }), async (steps) => {
      const registry = new Registry();
      const streams = new PageStreams(new Pages(registry));
      const opening = { session: "s1", site: undefined };
      const post = (message: object) =>
        streams.receive(JSON.stringify({ jsonrpc: "2.0", ...message }), opening);
      const open: { heard: Message[]; end: () => void }[] = [];
      const written: Message[] = [];
      for (const action of steps) {
        if (action.do === "open") {
          const heard: Message[] = [];
          const channel = {
            send: (text: string) => {
              heard.push(JSON.parse(text));
              written.push(JSON.parse(text));
            },
            close: () => {},
            bufferedBytes: 0,
          };
          const end = streams.open(channel, { address: "1.2.3.4" }, opening);
          if (end === undefined) continue;
          open.push({ heard, end });
          post({ id: "r", method: "tools/register", params: { tools: [{ name: "t" }] } });
        } else if (action.do === "end") {
          const [stream] = open.splice(action.stream, 1);
          stream?.end();
        } else {
          const [session] = registry.sessions();
          expect(session !== undefined).toBe(open.length > 0);
          if (session === undefined) continue;
          const params = { name: "t", arguments: {} };
          const call = session.request("call-tool", params, { timeoutMs: 60_000 });
          const request = open.at(-1)?.heard.at(-1);
          expect(written.filter(({ id }) => id === request?.id)).toHaveLength(1);
          post({ id: request?.id, result: "done" });
          expect(await call).toEqual({ ok: true, result: "done" });
        }
      }
      for (const { end } of open) end();
      expect(registry.size).toBe(0);
      expect(post({ id: "x", result: 1 })).toBe(false);
    }),
    { numRuns: 200 },
  );
});
