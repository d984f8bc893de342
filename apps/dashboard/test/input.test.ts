import type { InputStep } from "@ccbridge/protocol";
import { expect, it } from "vitest";
import { TerminalInput } from "../src/screen/input.js";

const key = (name: string): InputStep => ({ type: "key", key: name });

function deliveries() {
  const made: { steps: InputStep[]; end(error?: Error): void }[] = [];
  const deliver = (steps: InputStep[]) =>
    new Promise<void>((resolve, reject) => {
      made.push({ steps, end: (error) => (error === undefined ? resolve() : reject(error)) });
    });
  return { made, deliver };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it("one message is in flight at a time, and later input is batched into the next", async () => {
  const { made, deliver } = deliveries();
  const input = new TerminalInput(deliver);
  for (const name of ["a", "b", "c"]) input.push(key(name));
  expect(made.map(({ steps }) => steps)).toEqual([[key("a")]]);
  made[0]?.end();
  await settled();
  expect(made[1]?.steps).toEqual([key("b"), key("c")]);
});

it("message size and queue length are bounded", async () => {
  const { made, deliver } = deliveries();
  const input = new TerminalInput(deliver);
  input.push(key("first"));
  for (let at = 0; at < 300; at++) input.push(key(String(at)));
  for (let at = 0; at < 3; at++) {
    made[at]?.end();
    await settled();
  }
  expect(made.map(({ steps }) => steps.length)).toEqual([1, 100, 100]);
  expect(made[2]?.steps.at(-1)).toEqual(key("299"));
});

it("reports the error, drops the queued input, and continues", async () => {
  const { made, deliver } = deliveries();
  const input = new TerminalInput(deliver);
  input.push(key("a"));
  input.push(key("b"));
  made[0]?.end(new Error("The program has ended."));
  await settled();
  expect(input.problem.value).toBe("The program has ended.");
  expect(made).toHaveLength(1);
  input.push(key("c"));
  made[1]?.end();
  await settled();
  expect(input.problem.value).toBeUndefined();
});
