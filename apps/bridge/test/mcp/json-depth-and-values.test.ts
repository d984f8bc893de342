import { expect, it } from "vitest";
import { limits } from "../../src/config/limits.js";
import { startTestBridge } from "../helpers/bridge.js";
import { post } from "../helpers/http.js";

it.each([
  ["a batch", "[".repeat(2_000_000)],
  ["an argument", `{"jsonrpc":"2.0","id":1,"method":"ping","params":${"[".repeat(2_000_000)}`],
])("%s that is nested without end is refused before it is parsed", async (_, body) => {
  const bridge = await startTestBridge();
  const refused = await post(bridge.mcpUrl, { body });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("nested at most 128 levels deep");
});

it("a message of countless values is refused before it is parsed", async () => {
  const bridge = await startTestBridge();
  const values = `[${"[],".repeat(limits.jsonValues)}[]]`;
  const params = `{"name":"list-computers","arguments":{"values":${values}}}`;
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
  const refused = await post(bridge.mcpUrl, { body });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain(`at most ${limits.jsonValues} values`);
});
