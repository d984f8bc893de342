import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { Approvals } from "../../src/access/approvals.js";
import { Permissions } from "../../src/gate/permissions.js";
import { linkComputer } from "../helpers/computer.js";
import { callTool } from "../helpers/sdk-client.js";
import { bearer, startWithTokens } from "./helpers.js";

const code = "return 1";
const programs = { [code]: () => [] };

type Answer = { action: "accept" | "decline"; content?: Record<string, string> };

async function asking(answers: Answer[]) {
  const bridge = await startWithTokens("t-ask name=kim mode=ask\n");
  for (const computerId of [1, 2]) await linkComputer(bridge.linkUrl, { computerId, programs });
  const questions: string[] = [];
  const client = new Client({ name: "test", version: "0" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message);
    return answers.shift() ?? { action: "decline" };
  });
  client.onerror = () => {};
  onTestFinished(() => client.close());
  await client.connect(
    new StreamableHTTPClientTransport(new URL(bridge.mcpUrl), {
      requestInit: { headers: bearer("t-ask") },
    }),
  );
  const exec = (computerId: number) => callTool(client, "exec-lua", { computerId, code });
  return { bridge, client, questions, exec };
}

describe("ask mode", () => {
  it("asks the person with what would happen, and does nothing without a yes", async () => {
    const { exec, questions, bridge, client } = await asking([
      { action: "decline" },
      { action: "accept", content: { answer: "once" } },
    ]);
    expect((await exec(1)).text).toBe(
      "exec-lua was not allowed (by the person at the client). Nothing was done.",
    );
    expect(bridge.registry.jobs.list()).toEqual([]);
    expect((await exec(1)).isError).toBeUndefined();
    expect(questions).toEqual([
      "test 0 (kim) wants to use exec-lua on computer 1 (Label: null): return 1",
      "test 0 (kim) wants to use exec-lua on computer 1 (Label: null): return 1",
    ]);
    // Looking, and what is easily changed back, is not asked for.
    await callTool(client, "list-computers");
    await callTool(client, "set-label", { computerId: 1, label: "x" });
    expect(questions).toHaveLength(2);
    expect(bridge.audit.trail.recent()).toMatchObject([
      { tool: "exec-lua", outcome: "refused" },
      { tool: "exec-lua", outcome: "ok", approvedBy: "the person at the client" },
      { tool: "list-computers" },
      { tool: "set-label", approvedBy: undefined },
    ]);
  });

  it("accepts 'always' for one computer and one hour", async () => {
    const { exec, questions } = await asking([{ action: "accept", content: { answer: "hour" } }]);
    for (let round = 0; round < 3; round += 1) expect((await exec(1)).isError).toBeUndefined();
    expect(questions).toHaveLength(1);
    expect((await exec(2)).isError).toBe(true);
    expect(questions).toHaveLength(2);
  });

  it("refuses a client that cannot be asked, until somebody watches the approvals", async () => {
    const bridge = await startWithTokens("t-ask name=kim mode=ask\n");
    await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    const client = await bridge.connect("t-ask");
    const exec = () => callTool(client, "exec-lua", { computerId: 1, code });
    expect((await exec()).text).toMatch(
      /nobody can be asked.*elicitation.*dashboard.*Nothing was done/s,
    );
    const { approvals } = bridge;
    const answers = ["no", "once"] as const;
    let asked = 0;
    const stop = approvals.subscribe(() => {
      for (const { id, client: who, tool, provider } of approvals.list()) {
        expect({ who, tool, provider }).toEqual({
          who: "kim",
          tool: "exec-lua",
          provider: "computer 1 (Label: null)",
        });
        const answer = answers[asked] ?? "no";
        asked += 1;
        approvals.answer(id, answer, "ann");
      }
    });
    expect((await exec()).text).toContain("was not allowed (by ann)");
    expect((await exec()).isError).toBeUndefined();
    expect(approvals.list()).toEqual([]);
    stop();
    expect((await exec()).isError).toBe(true);
  });
});

describe("approvals", () => {
  const request = { client: "kim", tool: "exec-lua", provider: undefined, question: "?" };

  it("end with no when nobody answers, the caller gives up, or the watcher goes", async () => {
    const approvals = new Approvals(1);
    const stop = approvals.subscribe(() => {});
    expect(await approvals.ask(request)).toMatchObject({ decision: "no" });
    const patient = new Approvals();
    const leave = patient.subscribe(() => {});
    const gone = new AbortController();
    const first = patient.ask(request, gone.signal);
    const second = patient.ask(request);
    gone.abort();
    expect(await first).toMatchObject({ decision: "no" });
    leave();
    expect(await second).toMatchObject({ decision: "no" });
    expect(patient.list()).toEqual([]);
    stop();
  });

  it("are bounded", async () => {
    const approvals = new Approvals();
    const stop = approvals.subscribe(() => {});
    const all = Array.from({ length: 70 }, (_, index) =>
      approvals.ask({ ...request, client: `client ${index % 10}` }),
    );
    expect(approvals.list()).toHaveLength(64);
    stop();
    expect((await Promise.all(all)).every(({ decision }) => decision === "no")).toBe(true);
  });
});

it("a permission ends after an hour", () => {
  let now = 0;
  const permissions = new Permissions(() => now);
  const client = { name: "kim", rights: { mode: "ask" } } as const;
  permissions.allowForAnHour(client, "a");
  now = 3_599_999;
  expect(permissions.has(client, "a")).toBe(true);
  expect(permissions.has(client, "b")).toBe(false);
  expect(permissions.has({ ...client }, "a")).toBe(false);
  now = 3_600_000;
  expect(permissions.has(client, "a")).toBe(false);
});
