// Asking a person at a client without sessions: the call ends with the question, and is repeated
// with the answer.
import type { ClientCapabilities } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import type { Config } from "../../src/index.js";
import { linkComputer } from "../helpers/computer.js";
import { SocketPage } from "../page/socket-page.js";
import { bearer, connectSessionless, startWithTokens } from "./helpers.js";

const code = "return 1";
const programs = { [code]: () => [] };
const question =
  'test 0 (kim) wants to use exec-lua on computer 1 (Label: null).\n\nreturn 1\n\n{"computerId":1}';

type Answer = { action: "accept" | "decline" | "cancel"; content?: Record<string, string> };

async function asking(
  answers: Answer[],
  capabilities: ClientCapabilities,
  settings: Partial<Config> = {},
  words = "",
) {
  const bridge = await startWithTokens(`t-ask name=kim mode=ask ${words}\n`, settings);
  for (const computerId of [1, 2]) await linkComputer(bridge.linkUrl, { computerId, programs });
  const client = await connectSessionless(bridge, "t-ask", capabilities);
  const asked: { message: string; jobs: number }[] = [];
  if (capabilities.elicitation !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params: { message } }) => {
      asked.push({ message, jobs: bridge.registry.jobs.list().length });
      return answers.shift() ?? { action: "decline" };
    });
  }
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: args });
    const [first] = content;
    return { isError, text: first?.type === "text" ? first.text : "" };
  };
  const exec = (computerId: number) => call("exec-lua", { computerId, code });
  return { bridge, asked, call, exec, jobs: () => bridge.registry.jobs.list() };
}

describe("ask mode without sessions", () => {
  it("asks first, makes the call after a yes, and once only", async () => {
    const { exec, asked, jobs, call, bridge } = await asking(
      [{ action: "accept", content: { answer: "call" } }],
      { elicitation: {} },
    );
    expect(await exec(1)).toMatchObject({ isError: false });
    expect(asked).toEqual([{ message: question, jobs: 0 }]);
    expect(jobs()).toHaveLength(1);
    expect(await call("list-computers")).toMatchObject({ isError: false });
    expect(asked).toHaveLength(1);
    expect(bridge.audit.trail.recent()).toMatchObject([
      { tool: "exec-lua", outcome: "asked" },
      { tool: "exec-lua", outcome: "ok", approvedBy: texts.thePersonAtThe },
      { tool: "list-computers" },
    ]);
    // The approval was for that call only: the next one is asked about again, and not approved.
    expect(await exec(1)).toMatchObject({ isError: true });
    expect(asked).toHaveLength(2);
    expect(jobs()).toHaveLength(1);
  });

  it.each<[Answer, string]>([
    [{ action: "decline" }, "was not allowed (by the person at the client)"],
    [{ action: "cancel" }, "no person was asked or answered: the client dismissed the question"],
    [
      { action: "accept", content: { answer: "for ever" } },
      "was not allowed (by the person at the client)",
    ],
  ])("does nothing after %j", async (answer, why) => {
    const { exec, asked, jobs } = await asking([answer], { elicitation: {} });
    const { isError, text } = await exec(1);
    expect(isError).toBe(true);
    expect(text).toContain(why);
    expect(asked).toHaveLength(1);
    expect(jobs()).toEqual([]);
  });

  it("keeps the first answer while a tool asks another question", async () => {
    const { call, asked, bridge } = await asking(
      [{ action: "accept", content: { answer: "call" } }, { action: "accept" }],
      { elicitation: {} },
      { pagesOrigins: ["http://localhost:5173"] },
    );
    const page = await SocketPage.open(`${bridge.pagesUrl}/ws`);
    await page.register({ name: "write", capabilities: ["dom:write"] });
    const name = "__btcp_request_capabilities";
    expect(await call(name, { capabilities: ["dom:write"] })).toEqual({
      isError: false,
      text: JSON.stringify({ granted: ["dom:write"], denied: [], pending: [] }),
    });
    expect(asked.map(({ message }) => message)).toEqual([
      expect.stringContaining(`wants to use ${name}`),
      expect.stringContaining(texts.mayTheAiUse),
    ]);
  });

  it("accepts 'always' for one computer", async () => {
    const { exec, asked, jobs } = await asking(
      [{ action: "accept", content: { answer: "tool" } }],
      { elicitation: {} },
    );
    for (let round = 0; round < 3; round += 1) expect((await exec(1)).isError).toBe(false);
    expect(asked).toHaveLength(1);
    expect(await exec(2)).toMatchObject({ isError: true });
    expect(asked).toHaveLength(2);
    expect(jobs()).toHaveLength(3);
  });

  it("counts a call once, with the question", async () => {
    const { exec, asked } = await asking(
      [{ action: "accept", content: { answer: "call" } }],
      { elicitation: {} },
      { computerRate: "1/h" },
      "rate=2/h",
    );
    expect(await exec(1)).toMatchObject({ isError: false });
    expect((await exec(1)).text).toContain(texts.thisBridgeAllowsFor);
    expect((await exec(2)).text).toContain(texts.theTokenOfThisClientKim);
    expect(asked).toHaveLength(1);
  });

  it("asks again when another computer took the name of the one that was shown", async () => {
    const bridge = await startWithTokens("t-ask name=kim mode=ask\n");
    const first = await linkComputer(bridge.linkUrl, { computerId: 1, instance: "a", programs });
    const client = await connectSessionless(bridge, "t-ask", { elicitation: {} });
    let asked = 0;
    client.setRequestHandler("elicitation/create", async () => {
      asked += 1;
      if (asked > 1) return { action: "decline" };
      first.socket.close();
      await first.closed;
      await linkComputer(bridge.linkUrl, { computerId: 1, instance: "b", programs });
      return { action: "accept", content: { answer: "tool" } };
    });
    await client.callTool({ name: "exec-lua", arguments: { computerId: 1, code } });
    expect(asked).toBe(2);
    expect(bridge.registry.jobs.list()).toEqual([]);
  });

  it("refuses a client that cannot be asked, until a person watches the approvals", async () => {
    const { exec, jobs, bridge } = await asking([], {});
    expect((await exec(1)).text).toMatch(new RegExp(texts.thisClientDoesNotSupport));
    expect(jobs()).toEqual([]);
    const { approvals } = bridge;
    const stop = approvals.subscribe(() => {
      for (const { id } of approvals.list()) approvals.answer(id, "call", "ann");
    });
    expect(await exec(1)).toMatchObject({ isError: false });
    expect(jobs()).toHaveLength(1);
    stop();
  });

  it("an answer is used up by the call that it was given for, and is good for no other", async () => {
    const bridge = await startWithTokens("t-ask name=kim mode=ask\n");
    // The audit shows only the beginning of it.
    const long = `return "${"x".repeat(4_000)}"`;
    await linkComputer(bridge.linkUrl, { computerId: 1, programs: { [long]: () => [] } });
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "0" },
    };
    const send = async (args: object, more: object = {}) => {
      const params = { name: "exec-lua", arguments: args, _meta: meta, ...more };
      const response = await fetch(bridge.mcpUrl, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "exec-lua",
          ...bearer("t-ask"),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      });
      const text = await response.text();
      const json = text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "");
      return JSON.parse(json) as {
        result?: { requestState?: string; inputRequests?: Record<string, unknown> };
        error?: { message: string };
      };
    };
    const args = { computerId: 1, code: long };
    const { result } = await send(args);
    const { requestState, inputRequests } = result ?? {};
    expect(requestState).toBeDefined();
    const answers = Object.fromEntries(
      Object.keys(inputRequests ?? {}).map((name) => [
        name,
        { action: "accept", content: { answer: "call" } },
      ]),
    );
    const answered = { requestState, inputResponses: answers };
    const other = await send({ computerId: 1, code: `${long} fs.delete("/")` }, answered);
    expect(other.error?.message).toContain("belongs to another call");
    expect((await send({ code: long, computerId: 1 }, answered)).error).toBeUndefined();
    expect(bridge.registry.jobs.list()).toHaveLength(1);
    for (let again = 0; again < 2; again += 1) {
      expect((await send(args, answered)).error?.message).toContain("was used already");
    }
    expect(bridge.registry.jobs.list()).toHaveLength(1);
    expect(bridge.audit.trail.recent().map(({ outcome }) => outcome)).toEqual(["asked", "ok"]);
  });
});
