import { expect, it, onTestFinished, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { anyone } from "../../src/auth/rights/client.js";
import { CallLimiter } from "../../src/calls/rates.js";
import type { JsonRpcMessage } from "../../src/http/errors.js";
import type { ResponseWriter } from "../../src/http/response-writer.js";
import { HttpTransport } from "../../src/mcp/transports/http-transport.js";
import { unreadStream } from "../helpers/abuse.js";
import { startTestBridge } from "../helpers/bridge.js";
import { endlessProgram, linkComputer } from "../helpers/computer.js";
import { initialize, initializeBody, post } from "../helpers/http.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

it("sessions whose streams are not read do not keep others out", async () => {
  const bridge = await startTestBridge({ maxSessions: 8 });
  for (let opened = 0; opened < 8; opened++) {
    await unreadStream(bridge.mcpPort, await initialize(bridge.mcpUrl));
  }
  const client = await connectClient(bridge.mcpUrl);
  expect((await callTool(client, "probe-computers")).text).toBe("No computers connected.");
});

it("a client with very long information about itself is refused: a session stores it", async () => {
  const bridge = await startTestBridge();
  const { params } = initializeBody;
  const long = "x".repeat(100_000);
  for (const more of [
    { clientInfo: { name: "long", version: "1", description: long } },
    { capabilities: { experimental: { long: { long } } } },
  ]) {
    const body = { ...initializeBody, params: { ...params, ...more } };
    const refused = await post(bridge.mcpUrl, { body });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("65536 characters");
  }
  await initialize(bridge.mcpUrl);
});

it("nothing in the game is cancelled by hanging up, by losing the session, or by ending it", async () => {
  const bridge = await startTestBridge({ maxSessions: 1 });
  const { code, programs, running } = endlessProgram();
  const { fake } = await linkComputer(bridge.linkUrl, { computerId: 1, programs });
  const session = await initialize(bridge.mcpUrl);
  const hangUp = new AbortController();
  const call = fetch(bridge.mcpUrl, {
    method: "POST",
    signal: hangUp.signal,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-session-id": session,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "exec-lua", arguments: { computerId: 1, code } },
    }),
  }).catch(() => {});
  await running;
  hangUp.abort();
  await call;
  // The next client gets the only slot.
  const next = await vi.waitFor(() => initialize(bridge.mcpUrl));
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  expect((await post(bridge.mcpUrl, { session, body: ping })).status).toBe(404);
  const params = { name: "probe-computers", arguments: {} };
  const probe = { jsonrpc: "2.0", id: 2, method: "tools/call", params };
  expect(await (await post(bridge.mcpUrl, { session: next, body: probe })).text()).toContain(
    "pong",
  );
  expect(fake.received.map(({ type }) => type)).not.toContain("cancel");
  expect(bridge.registry.jobs.list()).toMatchObject([{ state: "running" }]);
});

it("a call whose client hung up ends, so that waiting calls cannot pile up", async () => {
  const bridge = await startTestBridge();
  const { code, programs, running } = endlessProgram();
  await linkComputer(bridge.linkUrl, { computerId: 1, programs });
  const session = await initialize(bridge.mcpUrl);
  const body = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "exec-lua", arguments: { computerId: 1, code, waitMs: 50_000 } },
  };
  const hangUp = new AbortController();
  const call = fetch(bridge.mcpUrl, {
    method: "POST",
    signal: hangUp.signal,
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      "mcp-session-id": session,
    },
    body: JSON.stringify(body),
  }).catch(() => {});
  await running;
  hangUp.abort();
  await call;
  const again = { ...body, params: { name: "list-jobs", arguments: {} } };
  await vi.waitFor(async () => {
    expect((await post(bridge.mcpUrl, { session, body: again })).status).toBe(200);
  });
  expect(bridge.registry.jobs.list()).toMatchObject([{ state: "running" }]);
});

it("a session of a crowded address is ended for another address, even with calls open", async () => {
  const { Sessions } = await import("../../src/mcp/sessions/sessions.js");
  const sessions = new Sessions({ maxSessions: 3, sessionIdleMs: 60_000 });
  const writer = { isOpen: true, head() {}, end() {}, onClose() {} } as unknown as ResponseWriter;
  const open = async (address: string) => {
    const transport = await sessions.open(
      { address, client: anyone },
      (id) => new HttpTransport(id),
    );
    const accepts = { json: true, events: false };
    const call: JsonRpcMessage = { jsonrpc: "2.0", id: 1, method: "tools/call" };
    const received = { messages: [call], ids: [1], initializes: false, batch: false };
    transport?.serve(received, writer, accepts);
    return transport?.sessionId;
  };
  const crowd = [await open("192.0.2.1"), await open("192.0.2.1"), await open("192.0.2.2")];
  expect(await open("192.0.2.1")).toBeUndefined();
  expect(await open("192.0.2.3")).toBeDefined();
  const left = crowd.map((id) => sessions.get(id ?? "", anyone) !== undefined);
  expect(left).toEqual([false, true, true]);
  await sessions.close();
});

it("calls with much text are refused before they are gigabytes, and are released when they end", () => {
  const limiter = new CallLimiter();
  const args = { code: "x".repeat(4_000_000) };
  const running = Array.from({ length: 16 }, () => limiter.enter(anyone, args));
  expect(() => limiter.enter(anyone, { steps: [args] })).toThrow(texts.asMuchTextAs);
  limiter.enter(anyone, { code: "return 1" })();
  for (const leave of running) leave();
  limiter.enter(anyone, args)();
});

it("the calls of a bridge are weighed by their arguments", async () => {
  const weighed = vi.spyOn(CallLimiter.prototype, "enter");
  onTestFinished(() => weighed.mockRestore());
  const bridge = await startTestBridge();
  const client = await connectClient(bridge.mcpUrl);
  const args = { computerId: 1, code: "x".repeat(100_000) };
  expect((await callTool(client, "exec-lua", args)).text).toContain("not linked");
  expect(weighed).toHaveBeenCalledWith(expect.anything(), args);
});
