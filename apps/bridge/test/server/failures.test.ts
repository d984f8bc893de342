// The codes of the servers' protocol, for programs: of the server, and where the bridge itself fails.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type CallToolResult, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, it, onTestFinished } from "vitest";
import { bearer, startWithTokens } from "../calls/helpers.js";
import { connectClient } from "../helpers/sdk-client.js";
import { FakeMod } from "./fake-mod.js";
import { startServerBridge, token } from "./helpers.js";

const ERROR = "dev.ccbridge/error";

async function startScene(settings: Parameters<typeof startServerBridge>[0] = {}) {
  const bridge = await startServerBridge({ structured: true, ...settings });
  const client = await connectClient(bridge.mcpUrl);
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: args })) as CallToolResult;
  return { bridge, call };
}

it("no server, no answer in time, and a lost one have codes", async () => {
  const { bridge, call } = await startScene({ minecraftTimeoutMs: 1_000 });
  expect((await call("get_online_players"))._meta?.[ERROR]).toMatchObject({
    code: "CONNECTION_ERROR",
    message: expect.any(String),
  });
  const mod = await bridge.link({ answer: () => null });
  const began = performance.now();
  const late = await call("get_online_players");
  expect(performance.now() - began).toBeGreaterThan(900);
  expect(late).toMatchObject({ isError: true, _meta: { [ERROR]: { code: "TIMEOUT" } } });
  expect(late).not.toHaveProperty("structuredContent");
  const lost = call("get_online_players");
  await mod.until(() => mod.requests.length === 2);
  mod.drop();
  expect((await lost)._meta?.[ERROR]).toMatchObject({ code: "CONNECTION_ERROR" });
});

it("a setting of more than the default is waited for", async () => {
  const { bridge } = await startScene({ minecraftTimeoutMs: 45_000 });
  const mod = await bridge.link({ hello: { acknowledge: true } });
  expect(mod.answerTo("hello")?.outcome).toMatchObject({ data: { timeoutMs: 45_000 } });
});

it("a server's own fault has its code and details, and is not called a fault of the call", async () => {
  const { bridge, call } = await startScene();
  const error = { code: "SERVER_ERROR", message: "it burns", details: { tick: 7 } };
  await bridge.link({ answer: () => ({ success: false, error }) });
  const failed = await call("get_online_players");
  expect(failed._meta?.[ERROR]).toEqual(error);
  expect(JSON.stringify(failed.content)).toContain("not in the call");
  expect(JSON.stringify(failed.content)).not.toContain("Correct the call");
});

it("refusals of the bridge have codes; without MCP_STRUCTURED only the text has them", async () => {
  const { bridge, call } = await startScene();
  await bridge.link();
  const op = { command: "op me" };
  expect((await call("execute_command", op))._meta?.[ERROR]).toMatchObject({
    code: "INVALID_COMMAND",
  });
  const gift = { player: "Steve", item: "stone", quantity: 1 };
  expect((await call("give_item", gift))._meta?.[ERROR]).toMatchObject({
    code: "PERMISSION_DENIED",
  });
  const plain = await startScene({ structured: false });
  const refused = await plain.call("execute_command", op);
  expect(refused).not.toHaveProperty("_meta");
  expect(refused.content).toMatchObject([{ text: expect.stringMatching(/^INVALID_COMMAND: /) }]);
});

it("a client with a wrong token gets AUTH_FAILED", async () => {
  const bridge = await startWithTokens("t-good\n", { minecraftTokens: [token] });
  for (const headers of [{}, { authorization: "Bearer wrong" }]) {
    const answer = await fetch(bridge.mcpUrl, { method: "POST", body: "{}", headers });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ error: { data: { code: "AUTH_FAILED" } } });
  }
});

it("a token that asks, asks for changes of blocks and for batches", async () => {
  const bridge = await startWithTokens("t-ask mode=ask\n", {
    minecraftTokens: [token],
    minecraftTools: ["set_blocks", "fill_blocks"],
    minecraftCommands: "^list$",
  });
  const url = `${bridge.linkUrl}/minecraft`;
  const tools = ["set_blocks", "fill_blocks", "execute_commands"];
  const hello = { capabilities: { tools, events: [] } };
  const mod = await FakeMod.dial({ url, token, hello });
  const client = new Client({ name: "test", version: "0" }, { capabilities: { elicitation: {} } });
  const questions: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message);
    return { action: "decline" };
  });
  onTestFinished(() => client.close());
  const requestInit = { headers: bearer("t-ask") };
  await client.connect(new StreamableHTTPClientTransport(new URL(bridge.mcpUrl), { requestInit }));
  for (const [name, args] of [
    ["set_blocks", { blocks: ["0 64 0 stone"] }],
    ["fill_blocks", { from: "0 64 0", to: "1 64 0", block: "stone" }],
    ["execute_commands", { commands: ["list"] }],
  ] as const) {
    const { isError } = (await client.callTool({ name, arguments: args })) as CallToolResult;
    expect(isError).toBe(true);
    expect(questions.pop()).toContain(`${name} on server minecraft`);
  }
  expect(mod.requests).toEqual([]);
});
