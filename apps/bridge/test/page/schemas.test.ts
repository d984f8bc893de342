// What a page's author writes as a schema, over a real MCP client.
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { linkHostile, result } from "../helpers/hostile-computer.js";
import { recordingLogger } from "../helpers/recording-logger.js";
import { connectClient } from "../helpers/sdk-client.js";
import { cases, outcome, property, reasons, tools, unusable } from "./schema-cases.js";
import { SocketPage } from "./socket-page.js";

const origin = "http://localhost:5173";

async function page(bridge: TestBridge) {
  const connected = await SocketPage.open(`${bridge.pagesUrl}/ws`, origin);
  for (const { name } of tools) connected.handlers.set(name, (args) => JSON.stringify(args));
  return connected;
}

const open = () => startTestBridge({ pagesOrigins: [origin] });

const textOf = (answer: unknown) => JSON.stringify((answer as CallToolResult).content);

describe("the schema of a tool of a page", () => {
  it.each(Object.entries(cases))("is enforced whole: %s", async (name, { good, bad }) => {
    const bridge = await open();
    await (await page(bridge)).register(...tools);
    const client = await connectClient(bridge.mcpUrl);
    for (const args of good) {
      expect(await outcome(client, name, args)).toBe(JSON.stringify(args));
    }
    for (const args of bad) expect(await outcome(client, name, args)).toBe("refused");
  });

  it("is listed as clients accept it, and shown whole by list-offered-tools", async () => {
    const bridge = await open();
    await (await page(bridge)).register(...tools);
    const client = await connectClient(bridge.mcpUrl);
    const listed = (await client.listTools()).tools.filter(({ name }) => name in cases);
    expect(listed.map(({ name }) => name).sort()).toEqual(Object.keys(cases).sort());
    for (const { name, inputSchema } of listed) {
      expect(inputSchema.type, name).toBe("object");
      for (const word of ["anyOf", "oneOf", "allOf", "not", "$ref", "$defs"]) {
        expect(inputSchema, name).not.toHaveProperty(word);
      }
      for (const key of Object.keys(inputSchema.properties ?? {})) {
        expect(key).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
      }
    }
    expect(listed.find(({ name }) => name === "many")?.inputSchema).toEqual(cases.many?.schema);
    const named = listed.find(({ name }) => name === "named");
    expect(named?.description).toContain("größe");
    expect(named?.description).toContain("$filter");
    const shown = textOf(await client.callTool({ name: "list-offered-tools", arguments: {} }));
    expect(shown).toContain("anyOf");
  });

  it("is passed on unchecked where checking has no bound, which the answer says", async () => {
    const bridge = await open();
    const connected = await page(bridge);
    connected.handlers.set("look", () => "found");
    await connected.register({ name: "look", inputSchema: property({ pattern: "(?=a)b" }) });
    const client = await connectClient(bridge.mcpUrl);
    const answer = textOf(await client.callTool({ name: "look", arguments: { v: "x" } }));
    expect(answer).toContain("found");
    expect(answer).toContain("without checking the pattern");
  });

  it("costs its tool alone when it is over a bound, and the page learns why", async () => {
    const { log, lines } = recordingLogger();
    const bridge = await startTestBridge({ pagesOrigins: [origin] }, log);
    const { result } = await (await page(bridge)).register(...tools, ...unusable);
    const { registered, leftOut } = result as {
      registered: number;
      leftOut: { tool: string; problem: string }[];
    };
    expect(registered).toBe(tools.length);
    const why = Object.fromEntries(leftOut.map(({ tool, problem }) => [tool, problem]));
    expect(Object.keys(why).sort()).toEqual(Object.keys(reasons).sort());
    for (const [tool, reason] of Object.entries(reasons)) {
      expect(why[tool]).toMatch(reason);
      expect(lines()).toContainEqual(
        expect.objectContaining({ file: tool, problem: expect.stringMatching(reason) }),
      );
    }
    const client = await connectClient(bridge.mcpUrl);
    const shown = textOf(await client.callTool({ name: "list-offered-tools", arguments: {} }));
    for (const tool of Object.keys(reasons)) expect(shown).toContain(tool);
  });
});

describe("the schema of a tool of a computer", () => {
  it("is enforced and bounded in the same way", async () => {
    const { log, lines } = recordingLogger();
    const bridge = await startTestBridge({ returnWaitMs: 5_000 }, log);
    const computer = await linkHostile(
      bridge.linkUrl,
      { methods: ["call-tool"] },
      ({ id, params }, { send }) => {
        const value = JSON.stringify(params.arguments);
        send(result(id, { returns: [{ type: "string", value }], output: "" }));
      },
    );
    computer.send({ type: "tools", tools: [...tools, ...unusable] });
    const client = await connectClient(bridge.mcpUrl);
    await expect
      .poll(async () => (await client.listTools()).tools.map(({ name }) => name))
      .toContain("many");
    for (const [name, { good, bad }] of Object.entries(cases)) {
      for (const args of good) {
        expect(await outcome(client, name, args), name).toContain("Returned:");
      }
      for (const args of bad) expect(await outcome(client, name, args), name).toBe("refused");
    }
    for (const [file, reason] of Object.entries(reasons)) {
      expect(lines()).toContainEqual(
        expect.objectContaining({ file, problem: expect.stringMatching(reason) }),
      );
    }
  });
});
