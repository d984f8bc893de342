import { toolNames } from "@ccbridge/protocol/minecraft";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { expect, it, vi } from "vitest";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { examples, exampleTurtle, furnish } from "../docs/examples.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { SocketPage } from "../page/socket-page.js";
import { linkExampleServer } from "../server/example-server.js";
import { startServerBridge } from "../server/helpers.js";

const CAPABILITIES = "__btcp_request_capabilities";
const origin = "http://localhost:5173";

type Args = Record<string, unknown>;
type Answer = { text: string; isError: boolean | undefined };

const offered: Record<string, Args> = { "open-door": { seconds: 5 }, getTitle: { selector: "h1" } };

/** A valid call of every tool: those of the tool reference, and the rest. That of `read-result` follows a cut result. */
const good: Record<string, Args> = {
  ...examples,
  [CAPABILITIES]: { capabilities: ["dom:write"] },
  ...offered,
};

function badCalls(name: string, args: Args): Args[] {
  // An offered tool takes arguments that its schema does not name, as JSON Schema says.
  const wrong: Args[] = [
    name in offered
      ? Object.fromEntries(Object.keys(args).map((key) => [key, {}]))
      : { ...args, nonsense: 1 },
  ];
  if ("computerId" in args) wrong.push({ ...args, computerId: 99 }, { ...args, computerId: {} });
  if ("jobId" in args) wrong.push({ ...args, jobId: "nosuchjob" });
  if ("path" in args && name !== "write-file" && name !== "search-files") {
    wrong.push({ ...args, path: "/no/such/place" });
  }
  if (toolNames.some((tool) => tool === name)) wrong.push({ ...args, server: "nowhere" });
  const [first] = Object.keys(args).filter((key) => key !== "computerId" && key !== "jobId");
  if (first !== undefined) wrong.push({ ...args, [first]: { deep: [null] } });
  return wrong;
}

/** What no text may contain: internal notation, or messages of the validator. */
const leaks =
  /\bundefined\b|\[object |\bNaN\b|ZodError|invalid_type|Expected .*received|Invalid input|MCP error|Error: Error| {3,}at .*\(.*:\d+:\d+\)/;

const nextStep =
  /\b(call|correct|use|list|look|check|ask|wait|give|link|start|see|try|set|shows?|types?|pass)\b/i;

function expectReadable({ text }: Answer, call: string): void {
  const about = `${call}: ${text}`;
  expect.soft(text.trim(), about).not.toBe("");
  expect.soft(text, about).not.toMatch(leaks);
  expect.soft(text.length, about).toBeLessThan(12_000);
  if (!call.startsWith(CAPABILITIES)) expect.soft(text, about).not.toMatch(/^\s*[[{]"/);
}

function expectError(answer: Answer, call: string): void {
  const about = `${call}: ${answer.text}`;
  expectReadable(answer, call);
  expect.soft(answer.isError, about).toBe(true);
  const [first, ...rest] = answer.text.split(/[.!?:]\s+|\n/).filter((part) => part.trim() !== "");
  expect.soft(first, about).toMatch(/^\S.*[^:]$/s);
  const isName = Object.keys(good).some((name) => answer.text.startsWith(name));
  if (!isName) expect.soft(answer.text, about).toMatch(/^[A-Z`"/]/);
  const [line = ""] = answer.text.split("\n");
  if (!line.startsWith("Failed on")) expect.soft(line, about).toMatch(/[.!?:)"]$/);
  expect.soft(rest.join(" "), about).toMatch(nextStep);
}

async function startEverything() {
  const bridge = await startServerBridge({
    structured: false,
    syncFolders: [`scripts=${scratchDirectory()}`],
    minecraftTools: [...toolNames],
    minecraftCommands: "^time set \\w+$;;^weather clear$",
    pagesOrigins: [origin],
  });
  await linkExampleServer(bridge);
  furnish(await linkGameComputer(bridge, await startWorld(), { kind: "turtle", ...exampleTurtle }));
  const page = await SocketPage.open(`${bridge.pagesUrl}/ws`);
  page.handlers.set("getTitle", ({ selector }) => ({
    content: [{ type: "text", text: selector === "article" ? "long ".repeat(7_000) : selector }],
  }));
  const inputSchema = { type: "object", properties: { selector: { type: "string" } } };
  await page.register({ name: "getTitle", description: "Reads a title.", inputSchema });
  await vi.waitFor(() => expect(bridge.registry.offered.all().size).toBe(2));
  return { bridge, client: await connectClient(bridge.mcpUrl) };
}

it("each tool's text is self-contained, and after a bad call advises what to do next", async () => {
  const { bridge, client } = await startEverything();
  good["read-result"] = await cutResult(client);
  const listed = (await client.listTools()).tools.map(({ name }) => name);
  expect(
    listed.filter((name) => good[name] === undefined),
    "tools without a good call",
  ).toEqual([]);
  const jobOf = (method: unknown) =>
    bridge.registry.jobs.list().find((job) => method === "" || job.method === method)?.id;
  const order = [...listed.filter((name) => name !== "power-computer"), "power-computer"];
  for (const name of order) {
    const example = good[name] ?? {};
    const args = "jobId" in example ? { ...example, jobId: jobOf(example.jobId) } : example;
    for (const wrong of badCalls(name, args)) {
      expectError(await ask(client, name, wrong), `${name} ${JSON.stringify(wrong)}`);
    }
    const answer = await ask(client, name, args);
    expectReadable(answer, name);
    expect.soft(answer.isError, `${name}: ${answer.text}`).not.toBe(true);
  }
});

async function cutResult(client: Client): Promise<Args> {
  const { content } = await client.callTool({
    name: "getTitle",
    arguments: { selector: "article" },
  });
  const [, note] = content as { text: string }[];
  return JSON.parse(/\{.*\}/.exec(note?.text ?? "")?.[0] ?? "{}");
}

async function ask(client: Client, name: string, args: Args): Promise<Answer> {
  try {
    const { text, isError } = await callTool(client, name, args);
    return { text, isError };
  } catch (error) {
    const text = (error as Error).message.replace(/^MCP error -?\d+: /, "");
    return { text, isError: true };
  }
}
