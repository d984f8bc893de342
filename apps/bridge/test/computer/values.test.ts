import { describe, expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { linkGameComputer, startWorld } from "./helpers.js";

describe("values from the game", () => {
  it("come back in a defined form, in text as a player would write them", async () => {
    const bridge = await startTestBridge();
    await linkGameComputer(bridge, await startWorld());
    const client = await connectClient(bridge.mcpUrl);
    const run = async (code: string) => {
      const { text, structuredContent } = await callTool(client, "exec-lua", {
        computerId: 12,
        code,
      });
      const { returns } = structuredContent as { returns: { type: string; value?: unknown }[] };
      return { shown: text.split("Returned: ")[1], returns };
    };

    expect(await run("return nil, true, 2^53 + 2, 0/0, 1/0, -1/0")).toEqual({
      shown: "nil, true, 9007199254740994, nan, inf, -inf",
      returns: [
        { type: "nil" },
        { type: "boolean", value: true },
        { type: "number", value: "9007199254740994" },
        { type: "number", value: "nan" },
        { type: "number", value: "inf" },
        { type: "number", value: "-inf" },
      ],
    });
    expect(await run('return "plain", "caf\\195\\169", "\\255\\0"')).toEqual({
      shown: '"plain", "café", <bytes, base64: /wA=>',
      returns: [
        { type: "string", value: "plain" },
        { type: "string", value: "café" },
        { type: "string", value: "/wA=", encoding: "base64" },
      ],
    });
    expect(
      await run("local t = { 1, 2 } t.me = t t.f = print t.n = 0/0 t.b = '\\255' return t"),
    ).toMatchObject({
      returns: [
        {
          type: "table",
          value: { 1: 1, 2: 2, me: "<cycle>", f: "<function>", n: "nan", b: "base64:/w==" },
        },
      ],
    });
    expect((await run("return print")).shown).toMatch(/^function: /);
    expect((await run("return { [3] = 'c', [5] = 'e' }")).shown).toBe('{ [3] = "c", [5] = "e" }');
  });

  it("that are huge or deep are cut and say so, and the computer stays alive", async () => {
    const bridge = await startTestBridge();
    await linkGameComputer(bridge, await startWorld());
    const client = await connectClient(bridge.mcpUrl);
    for (const code of [
      "local t = {} for i = 1, 10000 do t[i] = i end return t",
      "local t = {} for i = 1, 10000 do t['k' .. i] = i end return t",
      "local t = {} for i = 1, 5000 do t = { t } end return t",
      'return ("x"):rep(2000000)',
    ]) {
      const result = await callTool(client, "exec-lua", { computerId: 12, code });
      expect(result.text.length, code).toBeLessThan(12_000);
      const { returns } = result.structuredContent as { returns: { truncated?: boolean }[] };
      expect(returns, code).toMatchObject([{ truncated: true }]);
    }
    const alive = await callTool(client, "exec-lua", { computerId: 12, code: "1 + 1" });
    expect(alive.text).toContain("Returned: 2");
  });
});
