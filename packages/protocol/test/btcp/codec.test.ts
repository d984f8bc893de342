import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import {
  decodeMessage,
  encodeError,
  encodeRequest,
  encodeResult,
  isSessionId,
  MAX_PAGE_TOOLS,
  readAddress,
  readTools,
  toPageResult,
  toRpcError,
} from "../../src/btcp/index.js";

const id = fc.oneof(fc.string({ maxLength: 128 }), fc.maxSafeInteger());

describe("decoding", () => {
  it("never throws, and its reasons are short and on one line", () => {
    const likely = fc.record(
      {
        jsonrpc: fc.oneof(fc.constant("2.0"), fc.jsonValue()),
        id: fc.oneof(id, fc.jsonValue()),
        method: fc.oneof(fc.constantFrom("tools/register", "ping"), fc.jsonValue()),
        params: fc.jsonValue(),
        result: fc.jsonValue(),
        error: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      likely.map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(text, (input) => {
        const decoded = decodeMessage(input);
        if (decoded.ok) return;
        expect(decoded.reason.length).toBeLessThanOrEqual(200);
        expect(decoded.reason).not.toMatch(/\p{Cc}/u);
      }),
      { numRuns: 1_000 },
    );
  });

  it("gives back what was written, ids with their type", () => {
    fc.assert(
      fc.property(id, fc.jsonValue(), (key, value) => {
        expect(decodeMessage(encodeResult(key, value))).toEqual({
          ok: true,
          message: { kind: "answer", id: key, outcome: { ok: true, result: reread(value) } },
        });
        const params = { value };
        expect(decodeMessage(encodeRequest(key, "tools/call", params))).toEqual({
          ok: true,
          message: { kind: "request", id: key, method: "tools/call", params: reread(params) },
        });
      }),
    );
  });

  it("passes a failure on unchanged, whichever way it went", () => {
    const failure = { code: "CELL_NOT_FOUND", message: "No cell A1" };
    const decoded = decodeMessage(encodeError("a", toRpcError(failure)));
    expect(decoded).toEqual({
      ok: true,
      message: { kind: "answer", id: "a", outcome: { ok: false, error: failure } },
    });
  });

  it("refuses what would take seconds to parse, before it parses it", () => {
    const started = process.cpuUsage();
    expect(decodeMessage("[".repeat(4_000_000))).toMatchObject({ ok: false });
    expect(decodeMessage(`[${"[],".repeat(1_000_000)}[]]`)).toMatchObject({ ok: false });
    expect(decodeMessage(" ".repeat(4_194_305))).toMatchObject({ ok: false });
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });
});

function reread(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe("tools", () => {
  it("are read whatever a page registers", () => {
    const schema = fc.record(
      {
        type: fc.oneof(fc.constant("object"), fc.jsonValue()),
        properties: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
        required: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const tool = fc.record(
      {
        name: fc.oneof(fc.constantFrom("a", "b", "__proto__", "constructor"), fc.jsonValue()),
        description: fc.jsonValue(),
        inputSchema: fc.oneof(schema, fc.jsonValue()),
        capabilities: fc.jsonValue(),
        timeout: fc.oneof(fc.double(), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(tool, fc.jsonValue())), (list) => {
        const { tools, problems } = readTools(list);
        expect(tools.length + problems.length).toBe(list.length);
        expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
        for (const { timeoutMs } of tools) {
          expect(timeoutMs).toBeGreaterThanOrEqual(1_000);
          expect(timeoutMs).toBeLessThanOrEqual(300_000);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("keep a property called __proto__ as a property", () => {
    const list = JSON.parse(
      '[{"name":"__proto__","inputSchema":{"properties":{"__proto__":{"type":"string"}}}}]',
    );
    const [tool] = readTools(list).tools;
    expect(tool?.name).toBe("__proto__");
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(tool?.inputSchema.properties)).toBe(Object.prototype);
  });

  it("are bounded in count, in size alone and in size together, and say so", () => {
    const many = Array.from({ length: 10_000 }, (_, i) => ({ name: `t${i}` }));
    const read = readTools(many);
    expect(read.tools).toHaveLength(MAX_PAGE_TOOLS);
    expect(read.problems).toEqual([{ tool: "t100", problem: texts.aPageMayRegisterTools }]);

    const large = { name: "large", inputSchema: { type: "object", title: "x".repeat(1_000_000) } };
    expect(readTools([large, { name: "small" }])).toMatchObject({
      tools: [{ name: "small" }],
      problems: [{ tool: "large", problem: "larger than 65536 characters" }],
    });

    const heavy = Array.from({ length: 40 }, (_, i) => ({
      name: `t${i}`,
      inputSchema: { type: "object", title: "x".repeat(30_000) },
    }));
    expect(readTools(heavy).tools.length).toBe(34);
    expect(readTools(heavy).problems[0]?.problem).toMatch(/too large together/);
  });

  it("keep their text short", () => {
    const [tool] = readTools([{ name: "a", description: `abc${"x".repeat(5_000)}` }]).tools;
    expect(tool?.description).toMatch(/^abcx+$/);
    expect(tool?.description).toHaveLength(1_000);
  });
});

describe("results", () => {
  it("are translated whatever a page answers", () => {
    const block = fc.record(
      {
        type: fc.oneof(
          fc.constantFrom("text", "image", "audio", "resource", "resource_link"),
          fc.string(),
        ),
        text: fc.jsonValue(),
        data: fc.oneof(fc.base64String(), fc.jsonValue()),
        mimeType: fc.jsonValue(),
        uri: fc.jsonValue(),
        resource: fc.jsonValue(),
        annotations: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const result = fc.oneof(fc.jsonValue(), fc.record({ content: fc.array(block) }));
    fc.assert(
      fc.property(result, (value) => {
        const { content } = toPageResult(value);
        for (const { type } of content) expect(type).toMatch(/^(text|image|audio|resource)/);
      }),
      { numRuns: 500 },
    );
  });

  it("have a bounded number of blocks", () => {
    const content = Array.from({ length: 150 }, () => ({ type: "text", text: "a" }));
    const blocks = toPageResult({ content }).content;
    expect(blocks).toHaveLength(101);
    expect(blocks.at(-1)).toEqual({ type: "text", text: "[50 more blocks were left out]" });
  });
});

describe("addresses", () => {
  const query = "sessionId=S&clientType=browser&version=1.0.0";

  it.each([
    [`//ws?${query}`, { endpoint: "ws", sessionId: "S", token: undefined }],
    [`/ws?${query}`, { endpoint: "ws", sessionId: "S", token: undefined }],
    [`/ws?token=1&${query}`, { endpoint: "ws", sessionId: "S", token: "1" }],
    [`/t/abc/ws?${query}`, { endpoint: "ws", sessionId: "S", token: "abc" }],
    ["/a%2Fb/events?session=demo", { endpoint: "events", sessionId: "demo", token: "a/b" }],
    ["//message", { endpoint: "message", sessionId: undefined, token: undefined }],
    ["/", { endpoint: "agent", sessionId: undefined, token: undefined }],
    ["/abc?session=S", { endpoint: "agent", sessionId: "S", token: "abc" }],
    ["/ws?clientType=agent&token=1", { endpoint: "agent", sessionId: undefined, token: "1" }],
    ["/%E0%A4%A/ws", { endpoint: "ws", sessionId: undefined, token: "%E0%A4%A" }],
  ])("%s", (target, address) => {
    expect(readAddress(target)).toEqual({ ok: true, address });
  });

  it("take the session from a header, and treat an empty one as none", () => {
    expect(readAddress("/message", "S")).toMatchObject({ address: { sessionId: "S" } });
    expect(readAddress("/message", "")).toMatchObject({ address: { sessionId: undefined } });
  });

  it("are refused when they name no endpoint, or when the session is not an id", () => {
    expect(readAddress("/ws/x")).toMatchObject({ ok: false, status: 404 });
    expect(readAddress("/ws?sessionId=a b")).toMatchObject({ ok: false, status: 400 });
    expect(readAddress(`/ws?sessionId=${"x".repeat(129)}`)).toMatchObject({ status: 400 });
    expect(readAddress(`/ws?x=${"x".repeat(9_000)}`)).toMatchObject({ status: 400 });
    expect(isSessionId("__proto__")).toBe(true);
  });

  it("are read whatever is asked for", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void readAddress(`/${text}`)));
  });
});
