import { expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { linkHostile, result } from "../helpers/hostile-computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

it("a result that is nested without end is answered at once, with the reason", async () => {
  const bridge = await startTestBridge();
  const deep = `${"[".repeat(50_000)}1${"]".repeat(50_000)}`;
  await linkHostile(bridge.linkUrl, {}, ({ id }, computer) =>
    computer.send(`{"type":"response","id":"${id}","ok":true,"result":{"returns":[${deep}]}}`),
  );
  const client = await connectClient(bridge.mcpUrl);
  const answer = await callTool(client, "exec-lua", { computerId: 1, code: "x" });
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("cannot be read") });
});

it.each(["nil", "number", "function", "other"])(
  "nothing hides in the value of a %s",
  async (type) => {
    const bridge = await startTestBridge({ structured: true });
    const returns = [{ type, value: { smuggled: "x".repeat(10_000) } }];
    const methods = ["exec-lua", "call-peripheral"];
    await linkHostile(bridge.linkUrl, { methods }, ({ id, method }, computer) =>
      computer.send(
        result(id, method === "exec-lua" ? { returns } : { results: [{ ok: true, returns }] }),
      ),
    );
    const client = await connectClient(bridge.mcpUrl);
    const calls = [{ name: "left", method: "list" }];
    for (const answer of [
      await callTool(client, "exec-lua", { computerId: 1, code: "x" }),
      await callTool(client, "call-peripheral", { computerId: 1, calls }),
    ]) {
      expect(answer.isError).toBeUndefined();
      expect(JSON.stringify(answer)).not.toContain("smuggled");
    }
  },
);

it("what no schema names is not passed on", async () => {
  const bridge = await startTestBridge({ structured: true });
  const extra = { smuggled: "x".repeat(1_000_000) };
  await linkHostile(bridge.linkUrl, {}, ({ id }, computer) =>
    computer.send(
      result(id, { returns: [{ type: "number", value: 1, ...extra }], output: "", ...extra }),
    ),
  );
  const client = await connectClient(bridge.mcpUrl);
  const answer = await callTool(client, "exec-lua", { computerId: 1, code: "x" });
  expect(answer.structuredContent).toMatchObject({ returns: [{ type: "number", value: 1 }] });
  expect(JSON.stringify(answer)).not.toContain("smuggled");
});
