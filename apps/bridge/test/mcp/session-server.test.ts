import { describe, expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { endlessProgram, linkComputer } from "../helpers/computer.js";
import { initialize, post } from "../helpers/http.js";

async function openSession() {
  const bridge = await startTestBridge();
  const session = await initialize(bridge.mcpUrl);
  const send = (body: object) =>
    post(bridge.mcpUrl, { session, body: { jsonrpc: "2.0", ...body } });
  const ask = async (method: string, params?: unknown, id: string | number = 1) =>
    (await send({ id, method, ...(params === undefined ? {} : { params }) })).json();
  return { bridge, send, ask };
}

describe("the server of a session", () => {
  it("answers ping, and refuses methods that it does not know", async () => {
    const { ask } = await openSession();
    expect(await ask("ping", undefined, "a")).toEqual({ jsonrpc: "2.0", id: "a", result: {} });
    for (const method of ["tasks/list", "constructor", "__proto__", ""]) {
      expect(await ask(method)).toMatchObject({ id: 1, error: { code: -32_601 } });
    }
  });

  it.each([
    ["tools/call", undefined, "params"],
    ["tools/call", {}, "params.name"],
    ["tools/call", { name: "list-computers", arguments: 1 }, "params.arguments"],
    ["resources/read", { uri: 1 }, "params.uri"],
    ["completion/complete", { ref: {}, argument: {} }, "params."],
    ["logging/setLevel", { level: "loud" }, "params.level"],
  ])("says what is wrong with %s %o", async (method, params, where) => {
    const { ask } = await openSession();
    const { error } = (await ask(method, params)) as { error: { code: number; message: string } };
    expect(error.code).toBe(-32_602);
    expect(error.message).toContain(`Invalid ${method}: ${where}`);
  });

  it("does not answer what was cancelled, and the id can be used again", async () => {
    const { bridge, send, ask } = await openSession();
    const { code, programs, running } = endlessProgram();
    await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    const params = { name: "exec-lua", arguments: { computerId: 1, code } };
    const waiting = send({ id: 0, method: "tools/call", params });
    await running;
    const requestId = 0;
    expect((await send({ method: "notifications/cancelled", params: { requestId } })).status).toBe(
      202,
    );
    expect(await (await waiting).text()).not.toContain('"result"');
    expect(await ask("ping", undefined, 0)).toEqual({ jsonrpc: "2.0", id: 0, result: {} });
  });
});
