import assert from "node:assert/strict";
import {
  type ExecLuaResult,
  ExecLuaResultSchema,
  Feature,
  type Response,
} from "@ccbridge/protocol";
import type { Link } from "../link.js";
import type { RequestOptions } from "../pending-requests.js";
import { programs } from "./contract-programs.js";

/** One promise of the link, to be kept by every agent. */
export interface ContractCase {
  name: string;
  /** Features without which the case does not apply. */
  needs?: Feature[];
  run(link: Link): Promise<void>;
}

const patience = { timeoutMs: 20_000 } as const;

function exec(link: Link, code: string, options: Partial<RequestOptions> = {}): Promise<Response> {
  return link.request("exec-lua", { code }, { ...patience, cancelGraceMs: 10_000, ...options });
}

async function succeed(link: Link, code: string): Promise<ExecLuaResult> {
  const response = await exec(link, code);
  assert.ok(response.ok, `expected success, got ${JSON.stringify(response).slice(0, 300)}`);
  return ExecLuaResultSchema.parse(response.result);
}

async function failed(
  response: Response | Promise<Response>,
): Promise<ExecLuaResult & { error: string }> {
  const answer = await response;
  assert.ok(!answer.ok, "expected a failure");
  return { ...ExecLuaResultSchema.parse(answer.result ?? {}), error: answer.error };
}

async function returns(link: Link, code: string, expected: unknown[]): Promise<void> {
  const result = await succeed(link, code);
  const values = result.returns.map(({ type, value, encoding }) => ({
    type,
    ...(value === undefined ? {} : { value }),
    ...(encoding === undefined ? {} : { encoding }),
  }));
  assert.deepEqual(values, expected);
}

/** The values that a program returns according to its simulation; for programs that are pure. */
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
  ["bytes that are no text", "bytes"],
  ["a table that contains itself", "cycle"],
  ["no value at all", "nothing"],
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
      const { computerId, label } = link.identity;
      assert.ok(response.ok);
      assert.equal(response.result, `pong from ${computerId} (Label: ${label ?? "null"})`);
    },
  },
  {
    name: "answers an unknown method with an error that says so",
    async run(link) {
      const response = await link.request("make-coffee", {}, patience);
      assert.ok(!response.ok);
      assert.equal(response.error, "unknown method");
    },
  },
  ...pure.map(([what, name]) => ({
    name: `exec-lua returns ${what}`,
    run: (link: Link) => returns(link, programs[name].lua, expectedOf(name)),
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
    async run(link) {
      const controller = new AbortController();
      const started = new Promise<void>((resolve) => {
        const running = exec(link, programs.waiting.lua, {
          signal: controller.signal,
          onOutput: () => resolve(),
        });
        running.catch(() => {});
      });
      await started;
      const pong = await link.request("ping", undefined, patience);
      assert.ok(pong.ok);
      controller.abort();
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
    name: "streams all output in order before the answer, or none of it",
    needs: [Feature.output],
    async run(link) {
      let streamed = "";
      const response = await exec(link, programs.printing.lua, {
        onOutput: (text) => {
          streamed += text;
        },
      });
      assert.ok(response.ok);
      // Short code need not stream: its answer holds the output.
      assert.ok(["", "one\t2\nthree"].includes(streamed), `streamed ${JSON.stringify(streamed)}`);
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
