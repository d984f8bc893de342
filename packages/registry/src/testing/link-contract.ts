import assert from "node:assert/strict";
import { type ExecLuaResult, ExecLuaResultSchema, Feature } from "@ccbridge/protocol";
import type { Job } from "../jobs/job.js";
import type { Jobs } from "../jobs/jobs.js";
import type { ComputerLink } from "../kinds/computer/link.js";
import type { Answer } from "../provider.js";
import type { RequestOptions } from "../requests.js";
import { programs } from "./contract-programs.js";

export interface ContractCase {
  name: string;
  needs?: Feature[];
  run(link: ComputerLink, jobs: Jobs): Promise<void>;
}

const patience = { timeoutMs: 20_000 } as const;

function exec(
  link: ComputerLink,
  code: string,
  options: Partial<RequestOptions> = {},
): Promise<Answer> {
  return link.request("exec-lua", { code }, { ...patience, cancelGraceMs: 10_000, ...options });
}

function startJob(link: ComputerLink, jobs: Jobs, code: string): Job {
  return jobs.start(link, { method: "exec-lua", params: { code }, summary: "" });
}

async function until(jobs: Jobs, job: Job, reached: () => boolean): Promise<void> {
  await jobs.wait(job, { until: reached, ...patience });
  assert.ok(reached(), `the job is ${job.state} and printed ${job.output.end} characters`);
}

async function succeed(link: ComputerLink, code: string): Promise<ExecLuaResult> {
  const response = await exec(link, code);
  assert.ok(response.ok, `expected success, got ${JSON.stringify(response).slice(0, 300)}`);
  return ExecLuaResultSchema.parse(response.result);
}

async function failed(
  response: Answer | Promise<Answer>,
): Promise<ExecLuaResult & { error: string }> {
  const answer = await response;
  assert.ok(!answer.ok, "expected a failure");
  return { ...ExecLuaResultSchema.parse(answer.result ?? {}), error: answer.error };
}

async function returns(link: ComputerLink, code: string, expected: unknown[]): Promise<void> {
  const result = await succeed(link, code);
  const values = result.returns.map(({ type, value, encoding }) => ({
    type,
    ...(value === undefined ? {} : { value }),
    ...(encoding === undefined ? {} : { encoding }),
  }));
  assert.deepEqual(values, expected);
}

function expectedOf(name: keyof typeof programs): unknown[] {
  const run = { signal: new AbortController().signal, write: () => {} };
  return programs[name].simulate(run) as unknown[];
}

const pure = [
  ["an expression", "expression"],
  ["statements", "statement"],
  ["several values, nil among them", "severalValues"],
  ["lists and maps", "tables"],
  ["a table with slot numbers as a map", "sparseTable"],
  ["numbers that JSON lacks", "notFinite"],
  ["text beyond ASCII", "utf8"],
  ["bytes that are not text", "bytes"],
  ["a table that contains itself", "cycle"],
  ["no value", "nothing"],
] as const;

/**
 * What every agent must do once it is linked. The cases know no test runner: call `run` with a link of
 * the agent under test and await it.
 */
export const linkContract: readonly ContractCase[] = [
  {
    name: "answers ping with its id and label",
    async run(link) {
      const response = await link.request("ping", undefined, patience);
      const { computerId, label } = link.provider;
      assert.ok(response.ok);
      assert.equal(response.result, `pong from ${computerId} (Label: ${label ?? "null"})`);
    },
  },
  {
    name: 'answers an unknown method with the error "unknown method"',
    async run(link) {
      const response = await link.request("make-coffee", {}, patience);
      assert.ok(!response.ok);
      assert.equal(response.error, "unknown method");
    },
  },
  ...pure.map(([what, name]) => ({
    name: `exec-lua returns ${what}`,
    run: (link: ComputerLink) => returns(link, programs[name].lua, expectedOf(name)),
  })),
  {
    name: "exec-lua captures what the code prints and writes",
    async run(link) {
      const result = await succeed(link, programs.printing.lua);
      assert.equal(result.output, "one\t2\nthree");
      assert.deepEqual(result.returns, [{ type: "number", value: 4 }]);
    },
  },
  {
    name: "exec-lua does not wrap long lines",
    async run(link) {
      const result = await succeed(link, programs.longLines.lua);
      assert.equal(result.output, `${"x".repeat(500)}\n`);
    },
  },
  {
    name: "a runtime error keeps the output until then",
    async run(link) {
      const failure = await failed(exec(link, programs.runtimeError.lua));
      assert.match(failure.error, /boom/);
      assert.equal(failure.output, "before\n");
    },
  },
  {
    name: "a syntax error says where",
    async run(link) {
      const failure = await failed(exec(link, programs.syntaxError.lua));
      assert.match(failure.error, /:1:/);
    },
  },
  {
    name: "answers ping while code runs, and stops the code when cancelled",
    needs: [Feature.cancel, Feature.output],
    async run(link, jobs) {
      const job = startJob(link, jobs, programs.waiting.lua);
      await until(jobs, job, () => job.output.end > 0);
      const pong = await link.request("ping", undefined, patience);
      assert.ok(pong.ok);
      jobs.stop(job, "cancelled");
      await until(jobs, job, () => job.ended);
      assert.equal(job.state, "cancelled");
      // The computer is free again: it serves the next request, and nothing waits.
      await returns(link, programs.expression.lua, expectedOf("expression"));
      assert.equal(link.runningRequests, 0);
    },
  },
  {
    name: "answers a cancel after a time-out with the output so far",
    needs: [Feature.cancel],
    async run(link) {
      const error = await exec(link, programs.waiting.lua, { timeoutMs: 300 }).then(
        () => assert.fail("expected a time-out"),
        (reason) => reason,
      );
      assert.equal(error.code, "timed-out");
      assert.equal(error.cancel, "confirmed");
      const { output } = await failed(error.response);
      assert.equal(output, "waiting\n");
    },
  },
  {
    name: "runs requests side by side and answers each caller",
    needs: [Feature.cancel],
    async run(link) {
      const controller = new AbortController();
      const waiting = exec(link, programs.waiting.lua, { signal: controller.signal });
      const others = await Promise.all([
        succeed(link, programs.expression.lua),
        succeed(link, programs.statement.lua),
        succeed(link, programs.expression.lua),
      ]);
      assert.deepEqual(
        others.map((result) => result.returns[0]?.value),
        [2, 22, 2],
      );
      controller.abort();
      await assert.rejects(waiting, { code: "cancelled" });
    },
  },
  {
    name: "a job has all of its output in order, be it streamed or in the answer",
    needs: [Feature.output],
    async run(link, jobs) {
      const job = startJob(link, jobs, programs.printing.lua);
      await until(jobs, job, () => job.ended);
      assert.equal(job.state, "done");
      assert.equal(job.output.toString(), "one\t2\nthree");
    },
  },
  {
    name: "takes code that is larger than a message",
    needs: [Feature.chunk],
    run: (link) => returns(link, programs.bigCode.lua, expectedOf("bigCode")),
  },
  {
    name: "delivers output that is larger than a message",
    needs: [Feature.chunk],
    async run(link) {
      const result = await succeed(link, programs.bigOutput.lua);
      assert.equal(result.output, `${"y".repeat(99)}\n`.repeat(2_000));
    },
  },
];
