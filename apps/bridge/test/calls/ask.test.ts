import { createHash } from "node:crypto";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { type ApprovalRequest, Approvals } from "../../src/calls/approvals.js";
import { Permissions } from "../../src/calls/permissions.js";
import { linkComputer } from "../helpers/computer.js";
import { callTool } from "../helpers/sdk-client.js";
import { bearer, startWithTokens } from "./helpers.js";

const code = "return 1";
const programs = { [code]: () => [], "return 2": () => [] };
const tools = [{ name: "door", description: "Opens the door." }];

type Answer = { action: "accept" | "decline" | "cancel"; content?: Record<string, string> };

const accept = (answer: string): Answer => ({ action: "accept", content: { answer } });

async function asking(answers: Answer[]) {
  const bridge = await startWithTokens("t-ask name=kim mode=ask\n");
  for (const computerId of [1, 2, 3]) {
    const { fake } = await linkComputer(bridge.linkUrl, { computerId, programs });
    if (computerId < 3) fake.send({ type: "tools", tools });
  }
  const questions: string[] = [];
  const forms: object[] = [];
  const client = new Client({ name: "test", version: "0" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message);
    forms.push(Object(params).requestedSchema);
    return answers.shift() ?? { action: "decline" };
  });
  client.onerror = () => {};
  onTestFinished(() => client.close());
  await client.connect(
    new StreamableHTTPClientTransport(new URL(bridge.mcpUrl), {
      requestInit: { headers: bearer("t-ask") },
    }),
  );
  const call = (name: string, args: Record<string, unknown>) => callTool(client, name, args);
  const exec = (computerId: unknown, more: object = {}) =>
    call("exec-lua", { computerId, code, ...more });
  const headlines = () => questions.map((text) => text.split("\n")[0]);
  const jobs = () => bridge.registry.jobs.list().map(({ provider }) => provider.name);
  return { bridge, client, questions, forms, headlines, exec, call, jobs };
}

const at = (id: number) => `computer ${id} (Label: null)`;

describe("ask mode", () => {
  it("asks the person with what would happen, and does nothing without a yes", async () => {
    const { exec, questions, forms, bridge, client } = await asking([
      { action: "decline" },
      accept("call"),
    ]);
    expect((await exec(1)).text).toBe(texts.execLuaWasNotAllowed);
    expect(bridge.registry.jobs.list()).toEqual([]);
    expect((await exec(1)).isError).toBeUndefined();
    const question = `test 0 (kim) wants to use exec-lua on ${at(1)}.\n\nreturn 1\n\n{"computerId":1}`;
    expect(questions).toEqual([question, question]);
    expect(forms[0]).toMatchObject({
      properties: {
        answer: { type: "string", oneOf: [{ const: "call", title: "This call" }, {}, {}] },
      },
    });
    await callTool(client, "list-computers");
    await callTool(client, "set-label", { computerId: 1, label: "x" });
    expect(questions).toHaveLength(2);
    expect(bridge.audit.trail.recent()).toMatchObject([
      { tool: "exec-lua", outcome: "refused" },
      { tool: "exec-lua", outcome: "ok", approvedBy: texts.thePersonAtThe },
      { tool: "list-computers" },
      { tool: "set-label", approvedBy: undefined },
    ]);
  });

  it("names all targets, whatever argument names them", async () => {
    const { exec, call, headlines, jobs } = await asking([]);
    await call("exec-lua", { computer: 2, code });
    await exec([1, 3]);
    await exec("all");
    await call("door", { computerId: 2 });
    await call("call-offered-tool", { name: "door", arguments: { computerId: 1 } });
    await call("copy-file", { computerId: 1, toComputer: 3, from: "/a", to: "/b" });
    expect(headlines()).toEqual([
      `test 0 (kim) wants to use exec-lua on ${at(2)}.`,
      fill(texts.testKimWantsToUse, at(1), at(3)),
      fill(texts.testKimWantsToUseExec, at(1), at(2), at(3)),
      `test 0 (kim) wants to use door on ${at(2)}.`,
      `test 0 (kim) wants to use door on ${at(1)}.`,
      fill(texts.testKimWantsToUseCopy, at(1), at(3)),
    ]);
    expect(jobs()).toEqual([]);
  });

  it("writes all targets into the audit before the call", async () => {
    const { exec, bridge } = await asking([accept("call")]);
    await exec([1, 3]);
    expect(bridge.audit.trail.recent()).toMatchObject([
      { tool: "exec-lua", providers: [at(1), at(3)], outcome: "ok" },
    ]);
  });

  it("refuses what acts on something that cannot be found, without asking", async () => {
    const { exec, questions, bridge } = await asking([]);
    const { isError, text } = await exec(99);
    expect(isError).toBe(true);
    expect(text).toContain("Computer 99 is not linked");
    expect(questions).toEqual([]);
    expect(bridge.audit.trail.recent()).toMatchObject([{ outcome: "refused" }]);
  });

  it("a yes for this tool on these targets covers no other tool and no other target", async () => {
    const { exec, call, questions, headlines, bridge } = await asking([accept("tool")]);
    expect((await call("exec-lua", { computer: 1, code })).isError).toBeUndefined();
    expect((await exec(1, { code: "return 2" })).isError).toBeUndefined();
    expect(questions).toHaveLength(1);
    await exec(2);
    await exec([1, 3]);
    await call("exec-lua", { computer: 2, code: "fs.delete('/')" });
    await call("delete-file", { computerId: 1, path: "/x" });
    await call("call-offered-tool", { name: "door", arguments: { computerId: 1 } });
    expect(headlines()).toHaveLength(6);
    expect(bridge.permissions.list()).toMatchObject([
      { client: "kim", tool: "exec-lua", targets: [{ name: at(1) }] },
    ]);
  });

  it("a yes for every change on these targets covers other tools, but no other target", async () => {
    const { exec, call, questions, bridge } = await asking([accept("targets")]);
    await exec([1, 2]);
    expect((await call("door", { computerId: 1 })).text).not.toContain("not allowed");
    await call("delete-file", { computerId: 2, path: "/x" });
    expect(questions).toHaveLength(1);
    await exec(3);
    expect(questions).toHaveLength(2);
    const [permission] = bridge.permissions.list();
    expect(bridge.permissions.revoke(permission?.id ?? "")).toBeDefined();
    await exec(1);
    expect(questions).toHaveLength(3);
  });

  it("describes each choice with its meaning and end time, however long the person takes", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const bridge = await startWithTokens("t-ask name=kim mode=ask\n");
    await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    const client = await bridge.connect("t-ask");
    const { approvals } = bridge;
    const asked = new Promise<readonly string[]>((resolve) => {
      const stop = approvals.subscribe(() => {
        const [request] = approvals.list();
        if (request === undefined) return;
        resolve(request.choices.map(({ title }) => title));
        vi.setSystemTime(Date.now() + 240_000);
        approvals.answer(request.id, "tool", "ann");
        setImmediate(stop);
      });
    });
    await callTool(client, "exec-lua", { computerId: 1, code });
    const [permission] = bridge.permissions.list();
    const until = new Date(permission?.until ?? 0).toTimeString().slice(0, 5);
    expect(await asked).toEqual([
      "This call",
      `exec-lua on ${at(1)} until ${until}`,
      `Every change on ${at(1)} by kim until ${until}`,
    ]);
  });

  it("reports progress while a person decides, so that the client does not give up", async () => {
    const bridge = await startWithTokens("t-ask name=kim mode=ask\n");
    await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    const client = await bridge.connect("t-ask");
    const { approvals } = bridge;
    const asked = new Promise<string>((resolve) => {
      const stop = approvals.subscribe(() => {
        for (const { id } of approvals.list()) resolve(id);
      });
      onTestFinished(stop);
    });
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    let report: (message: string | undefined) => void = () => {};
    const progress = new Promise<string | undefined>((resolve) => {
      report = resolve;
    });
    const call = client.callTool(
      { name: "exec-lua", arguments: { computerId: 1, code } },
      undefined,
      { onprogress: ({ message }) => report(message) },
    );
    const id = await asked;
    vi.advanceTimersByTime(8_000);
    expect(await progress).toMatch(new RegExp(texts.waitingForAPersonTo));
    approvals.answer(id, "call", "ann");
    expect((await call).isError).toBeUndefined();
  });

  it("shows the beginning and the end of long code, and says what is left out", async () => {
    const { exec, questions } = await asking([]);
    const long = `print("start")${" ".repeat(5_000)}fs.delete("/")`;
    await exec(1, { code: long });
    const [question = ""] = questions;
    expect(question).toContain('print("start")');
    expect(question).toContain('fs.delete("/")');
    const missing = (long.length + '\n\n{"computerId":1}'.length - 4_096).toLocaleString("en");
    const sha256 = createHash("sha256").update(long).digest("hex");
    expect(question).toContain(fill(texts.charactersNotShownSee, missing, sha256));
    expect(question.length).toBeLessThan(4_600);
  });

  it("a permission ends with the token that it was given to", async () => {
    const { exec, bridge } = await asking([accept("tool")]);
    await exec(1);
    expect(bridge.permissions.list()).toHaveLength(1);
    bridge.write("t-other name=kim mode=ask\n");
    bridge.reload();
    expect(bridge.permissions.list()).toEqual([]);
  });

  it("a question that the client dismisses without a person is asked at the dashboard, if one is open", async () => {
    const { exec, bridge, questions } = await asking([{ action: "cancel" }, { action: "cancel" }]);
    const refused = await exec(1);
    expect(refused.text).toMatch(new RegExp(texts.noPersonWasAskedOr));
    expect(refused.text).not.toContain("was not allowed");
    const { approvals } = bridge;
    const stop = approvals.subscribe(() => {
      for (const { id } of approvals.list()) approvals.answer(id, "call", "ann");
    });
    expect((await exec(1)).isError).toBeUndefined();
    expect(questions).toHaveLength(2);
    expect(bridge.audit.trail.recent().at(-1)).toMatchObject({ approvedBy: "ann" });
    stop();
  });

  it("refuses a client that cannot be asked, until a person watches the approvals", async () => {
    const bridge = await startWithTokens("t-ask name=kim mode=ask\n");
    await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    const client = await bridge.connect("t-ask");
    const exec = () => callTool(client, "exec-lua", { computerId: 1, code });
    expect((await exec()).text).toMatch(new RegExp(texts.thisClientDoesNotSupportQuestions, "s"));
    const { approvals } = bridge;
    const answers = ["no", "call"] as const;
    let asked = 0;
    let waiting = 0;
    const stop = approvals.subscribe(() => {
      waiting += bridge.audit.trail.recent().filter(({ waits }) => waits).length;
      for (const { id, client: who, tool, targets, subject } of approvals.list()) {
        expect({ who, tool, targets, subject }).toEqual({
          who: "kim",
          tool: "exec-lua",
          targets: [at(1)],
          subject: `${code}\n\n{"computerId":1}`,
        });
        const answer = answers[asked] ?? "no";
        asked += 1;
        approvals.answer(id, answer, "ann");
      }
    });
    expect((await exec()).text).toContain("was not allowed (by ann)");
    expect((await exec()).isError).toBeUndefined();
    expect(waiting).toBeGreaterThan(0);
    expect(bridge.audit.trail.recent().some(({ waits }) => waits)).toBe(false);
    expect(approvals.list()).toEqual([]);
    stop();
    expect((await exec()).isError).toBe(true);
  });

  it("runs nothing on a computer that took the place of the one that was shown", async () => {
    const bridge = await startWithTokens("t-ask name=kim mode=ask\n");
    const gate = { label: "gate", programs };
    const first = await linkComputer(bridge.linkUrl, { ...gate, computerId: 1 });
    const client = await bridge.connect("t-ask");
    const { approvals } = bridge;
    const replaced = new Promise<void>((resolve) => {
      const stop = approvals.subscribe(async () => {
        const [request] = approvals.list();
        if (request === undefined) return;
        first.socket.close();
        await first.closed;
        await linkComputer(bridge.linkUrl, { ...gate, computerId: 2 });
        approvals.answer(request.id, "call", "ann");
        setImmediate(stop);
        resolve();
      });
    });
    const { isError, text } = await callTool(client, "exec-lua", { computerId: "gate", code });
    await replaced;
    expect(isError).toBe(true);
    expect(text).toContain(texts.changedWhileAPerson);
    expect(bridge.registry.jobs.list()).toEqual([]);
  });
});

describe("approvals", () => {
  const request: ApprovalRequest = {
    trace: "t",
    client: "kim",
    tool: "exec-lua",
    targets: [],
    question: "?",
    subject: "{}",
    choices: [{ value: "call", title: "This call" }],
  };

  it("end without an answer when none arrives, the caller gives up, or the watcher leaves", async () => {
    const approvals = new Approvals(1);
    const stop = approvals.subscribe(() => {});
    expect(await approvals.ask(request)).toEqual({ unanswered: texts.noAnswerCameIn });
    const patient = new Approvals();
    const leave = patient.subscribe(() => {});
    const gone = new AbortController();
    const first = patient.ask(request, gone.signal);
    const second = patient.ask(request);
    gone.abort();
    expect(await first).toEqual({ unanswered: "the client stopped waiting" });
    leave();
    expect(await second).toEqual({ unanswered: "the dashboard was closed" });
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
    expect((await Promise.all(all)).every((answer) => "unanswered" in answer)).toBe(true);
  });
});

describe("permissions", () => {
  const client = { name: "kim", rights: { mode: "ask" } } as const;
  const a = { key: "a", name: "A" };
  const b = { key: "b", name: "B" };

  it("end after an hour", () => {
    let now = 0;
    const permissions = new Permissions(() => now);
    permissions.grant(client, { tool: "exec-lua", targets: [a], grantedBy: "ann" });
    now = 3_599_999;
    expect(permissions.allowedBy(client, "exec-lua", [a])).toBe("ann");
    expect(permissions.allowedBy(client, "exec-lua", [a, b])).toBeUndefined();
    expect(permissions.allowedBy(client, "exec-lua", [])).toBeUndefined();
    expect(permissions.allowedBy(client, "delete-file", [a])).toBeUndefined();
    expect(permissions.allowedBy({ ...client }, "exec-lua", [a])).toBeUndefined();
    now = 3_600_000;
    expect(permissions.allowedBy(client, "exec-lua", [a])).toBeUndefined();
    expect(permissions.list()).toEqual([]);
  });

  it("for a tool without targets cover only calls without targets", () => {
    const permissions = new Permissions();
    permissions.grant(client, { tool: "exec-lua", targets: [], grantedBy: "ann" });
    expect(permissions.allowedBy(client, "exec-lua", [])).toBe("ann");
    expect(permissions.allowedBy(client, "exec-lua", [a])).toBeUndefined();
    expect(permissions.allowedBy(client, "other", [])).toBeUndefined();
  });

  it("are bounded for each client", () => {
    const permissions = new Permissions();
    for (let key = 0; key < 300; key++) {
      const targets = [{ key: String(key), name: "" }];
      permissions.grant(client, { tool: undefined, targets, grantedBy: "ann" });
    }
    expect(permissions.list()).toHaveLength(256);
    expect(permissions.allowedBy(client, "x", [{ key: "299", name: "" }])).toBe("ann");
    expect(permissions.allowedBy(client, "x", [{ key: "0", name: "" }])).toBeUndefined();
  });
});
