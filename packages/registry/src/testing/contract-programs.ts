import type { Program } from "./fake-computer.js";

export interface ContractProgram {
  lua: string;
  simulate: Program;
}

const program = (lua: string, simulate: Program): ContractProgram => ({ lua, simulate });
const number = (value: number) => ({ type: "number", value });
const text = (value: string) => ({ type: "string", value });

function untilCancelled(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("Terminated")), { once: true });
  });
}

const bigLiteral = "x".repeat(300_000);

export const programs = {
  expression: program("1 + 1", () => [number(2)]),
  statement: program("local a = 20 return a + a / 10", () => [number(22)]),
  severalValues: program('return 1, "two", nil, true, false', () => [
    number(1),
    text("two"),
    { type: "nil" },
    { type: "boolean", value: true },
    { type: "boolean", value: false },
  ]),
  tables: program('return { 1, 2, 3 }, { name = "log", n = 4 }', () => [
    { type: "table", value: [1, 2, 3] },
    { type: "table", value: { name: "log", n: 4 } },
  ]),
  sparseTable: program('return { [3] = "cobblestone" }', () => [
    { type: "table", value: { 3: "cobblestone" } },
  ]),
  notFinite: program("return 1 / 0, -1 / 0, 0 / 0", () => [
    { type: "number", value: "inf" },
    { type: "number", value: "-inf" },
    { type: "number", value: "nan" },
  ]),
  utf8: program('return "\u00e9\u20ac"', () => [text("\u00e9\u20ac")]),
  bytes: program('return "\\255\\0a"', () => [
    { type: "string", value: "/wBh", encoding: "base64" },
  ]),
  cycle: program("local t = {} t.me = t return t", () => [
    { type: "table", value: { me: "<cycle>" } },
  ]),
  nothing: program("local a = 1", () => []),
  printing: program('print("one", 2) write("three") return 4', (run) => {
    run.write("one\t2\n");
    run.write("three");
    return [number(4)];
  }),
  longLines: program('print(("x"):rep(500))', (run) => {
    run.write(`${"x".repeat(500)}\n`);
    return [];
  }),
  runtimeError: program('print("before") error("boom")', (run) => {
    run.write("before\n");
    throw new Error("exec-lua:1: boom");
  }),
  syntaxError: program("local = 5", () => {
    throw new Error("exec-lua:1: <name> expected near '='");
  }),
  waiting: program('print("waiting") while true do os.pullEvent("never") end', (run) => {
    run.write("waiting\n");
    return untilCancelled(run.signal);
  }),
  bigCode: program(`return #"${bigLiteral}"`, () => [number(bigLiteral.length)]),
  bigOutput: program('for i = 1, 2000 do print(("y"):rep(99)) end', (run) => {
    const line = `${"y".repeat(99)}\n`;
    for (let i = 0; i < 20; i++) run.write(line.repeat(100));
    return [];
  }),
} satisfies Record<string, ContractProgram>;

export const simulations: ReadonlyMap<string, Program> = new Map(
  Object.values(programs).map(({ lua, simulate }) => [lua, simulate]),
);
