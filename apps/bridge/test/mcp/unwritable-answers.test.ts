import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startListener } from "../helpers/abuse.js";
import { initialize, post } from "../helpers/http.js";

function deep(): unknown {
  let value: unknown = [];
  for (let depth = 0; depth < 100_000; depth++) value = [value];
  return value;
}

describe("an answer that cannot be written as JSON", () => {
  it.each(["application/json", "text/event-stream"])(
    "is an error (%s)",
    async (accept) => {
      const { url } = await startListener(({ id }, transport) => {
        transport.send({ jsonrpc: "2.0", id, result: { value: deep() } });
      });
      const session = await initialize(url);
      const body = { jsonrpc: "2.0", id: 7, method: "tools/call" };
      const text = await (await post(url, { session, accept, body })).text();
      expect(text).toContain('"id":7');
      expect(text).toContain(texts.cannotBeWrittenAs);
    },
    5_000,
  );

  it("costs the other calls of its batch nothing", async () => {
    const { url } = await startListener(({ id }, transport) => {
      const result = id === 1 ? { value: 1n } : {};
      transport.send({ jsonrpc: "2.0", id, result });
    });
    const session = await initialize(url);
    const body = [1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "tools/call" }));
    expect(await (await post(url, { session, body })).json()).toMatchObject([
      { id: 1, error: { code: -32_603 } },
      { id: 2, result: {} },
    ]);
  });
});
