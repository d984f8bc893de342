import { once } from "node:events";
import { ToolSession } from "@ccbridge/mcp-tools";
import {
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { messageKind, supportedProtocolVersions } from "../src/mcp/message-kind.js";
import { CallGate } from "../src/mcp/sdk/calls.js";
import { startTestBridge } from "./helpers/bridge.js";
import { linkComputer, openSocket } from "./helpers/computer.js";
import { initialize, initializeBody, post } from "./helpers/http.js";

// Calls of tools over streamable HTTP take a way past the SDK; those over a WebSocket go through it. Nobody
// may notice which.

const odd = fc.oneof(
  fc.constantFrom(undefined, null, true, 0, 1.5, "", "list-computers", "exec-lua", []),
  fc.jsonValue({ maxDepth: 1 }),
);
const meta = fc.oneof(
  fc.constant(undefined),
  fc.record(
    { progressToken: odd, "io.modelcontextprotocol/related-task": odd, other: odd },
    { requiredKeys: [] },
  ),
  odd,
);
const params = fc.oneof(
  fc.record(
    {
      name: fc.oneof(fc.constantFrom("list-computers", "exec-lua", "probe-computers", "none"), odd),
      arguments: fc.oneof(
        fc.constantFrom({}, { computerId: 1, code: "1 + 1" }, { computerId: "x" }),
        odd,
      ),
      _meta: meta,
      task: fc.oneof(
        { weight: 9, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: odd },
      ),
    },
    { requiredKeys: [] },
  ),
  odd,
);

it("a call is answered in the same words on the short way and through the SDK", async () => {
  // As text: facts hold times.
  const bridge = await startTestBridge({ structured: false });
  await linkComputer(bridge.linkUrl, { computerId: 1, label: "base" });
  const session = await initialize(bridge.mcpUrl);
  const { socket } = await openSocket(bridge.mcpUrl.replace("http:", "ws:"), {});
  const overSocket = async (body: object): Promise<object> => {
    socket.send(JSON.stringify(body));
    for (;;) {
      const [data] = (await once(socket, "message")) as [Buffer];
      const message = JSON.parse(data.toString()) as { method?: string };
      if (message.method === undefined) return plain(message);
    }
  };
  await overSocket(initializeBody);
  let id = 0;
  await fc.assert(
    fc.asyncProperty(params, async (given) => {
      id += 1;
      const body = { jsonrpc: "2.0", id, method: "tools/call", params: given };
      const response = await post(bridge.mcpUrl, { session, body, accept: "application/json" });
      const direct = plain(await response.json());
      expect(direct).toEqual(await overSocket(body));
    }),
    { numRuns: 150 },
  );
});

it("a fault before a call is made is answered, and leaves its place to others", async () => {
  const bridge = await startTestBridge({});
  const session = await initialize(bridge.mcpUrl);
  const ended = vi.spyOn(CallGate.prototype, "end");
  vi.spyOn(ToolSession.prototype, "call").mockImplementationOnce(() => {
    throw new Error("a fault");
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list-jobs" } };
  const response = await post(bridge.mcpUrl, { session, body });
  expect(await response.text()).toContain("a fault");
  expect(ended).toHaveBeenCalledTimes(1);
});

/** An answer to whatever id: a message that is not taken for a request is answered to none. */
function plain(message: unknown): object {
  return { ...(message as object), id: 0 };
}

describe("what the bridge knows of MCP by itself is what the SDK knows", () => {
  const id = fc.oneof(fc.constantFrom("", "a", 0, -1, 1.5, 2 ** 60, null), odd);
  const error = fc.oneof(
    fc.record({ code: odd, message: odd, data: odd }, { requiredKeys: [] }),
    fc.constant({ code: -1, message: "no" }),
    odd,
  );
  const message = fc.record(
    {
      jsonrpc: fc.constantFrom("2.0", "2.0", "2.0", "1.0"),
      id,
      method: fc.oneof(fc.constantFrom("tools/call", "ping"), odd),
      params,
      result: fc.oneof(fc.record({ _meta: meta }, { requiredKeys: [] }), odd),
      error,
      other: odd,
    },
    { requiredKeys: [] },
  );

  it("of the kinds of messages", () => {
    fc.assert(
      fc.property(message, (given) => {
        const sent: unknown = JSON.parse(JSON.stringify(given));
        expect(messageKind(sent)).toBe(kindBySdk(sent));
      }),
      { numRuns: 2_000 },
    );
  });

  it("of how a client begins, and of the versions", () => {
    expect(messageKind(initializeBody)).toBe("initialize");
    expect(messageKind({ ...initializeBody, params: {} })).toBe("request");
    expect(isInitializeRequest(initializeBody)).toBe(true);
    expect([...supportedProtocolVersions]).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
  });
});

function kindBySdk(message: unknown): string {
  if (isJSONRPCRequest(message)) return "request";
  if (isJSONRPCNotification(message)) return "notification";
  if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) return "response";
  return "invalid";
}
