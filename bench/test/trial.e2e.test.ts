import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createWorld } from "@ccbridge/cc-host";
import { expect, it, onTestFinished } from "vitest";
import { texts } from "../../vitest.texts.js";
import { diskOf } from "../trial/base.js";
import { lockFault } from "../trial/lock-check.js";
import { startTrial, type Trial } from "../trial/trial.js";

const shell = (command: string, args: readonly string[]) =>
  promisify(execFile)(command, args).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => `${stdout}${stderr}`,
  );

async function quickTrial(): Promise<Trial> {
  const trial = await startTrial({ ticksPerSecond: 400 });
  onTestFinished(() => trial.close());
  return trial;
}

const PICTURE = `
local m = peripheral.find("monitor")
local w, h = m.getSize()
local function fill(x1, y1, x2, y2, colour)
  m.setBackgroundColour(colour)
  for y = y1, y2 do m.setCursorPos(x1, y) m.write((" "):rep(x2 - x1 + 1)) end
end
fill(1, 1, w, h - 3, colours.lightBlue)
fill(1, h - 2, w, h, colours.green)
fill(w - 5, 1, w, 3, colours.yellow)
m.setBackgroundColour(colours.lightBlue)
m.setCursorPos(4, 6)
m.write("WELCOME HOME")
`;

async function solve(trial: Trial): Promise<void> {
  const call = async (tool: string, args: Record<string, unknown>, task?: string) => {
    const { content } = await trial.call(tool, args, task);
    return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  };
  const jobOf = (text: string) =>
    /\bjob ([\w-]+)/.exec(text)?.[1] ?? expect.unreachable(`no job in ${text}`);
  await call("list-computers", {});

  const iron = { computerId: "storage", item: "iron_ingot" };
  await call("list-inventory", iron, "iron");
  await call("move-items", { ...iron, to: "minecraft:chest_4" }, "iron");

  const lock = { computerId: "gate", path: "/lock.lua" };
  const runLock = { computerId: "gate", command: "lock", waitMs: 300 };
  const code = { steps: [{ text: "2580\n" }] };
  await call("run-program", runLock, "lock");
  await call("read-file", lock, "lock");
  const edit = (oldText: string, newText: string) =>
    call("edit-file", { ...lock, oldText, newText }, "lock");
  await edit("term.setCursor(", "term.setCursorPos(");
  const first = jobOf(await call("run-program", runLock, "lock"));
  const refused = { jobId: first, ...code, waitFor: "Wrong code" };
  expect(await call("send-input", refused, "lock")).toContain("Wrong code");
  await call("cancel-job", { jobId: first }, "lock");
  await edit("tonumber(ask())", "ask()");
  await edit("os.wait", "sleep");
  const second = jobOf(await call("run-program", runLock, "lock"));
  await call("send-input", { jobId: second, ...code, waitFor: "Welcome" }, "lock");

  const miner = { computerId: "miner" };
  await call("set-position", { ...miner, x: 100, y: 12, z: -40, facing: "north" }, "ores");
  const there = ["select 16", "refuel 5", "goto 103 12 -42 north dig", "dig", "digUp", "up", "dig"];
  const back = ["goto 99 11 -41 west dig", "dig", "goto 100 12 -40 south"];
  const home = ["drop diamond", "face north"];
  await call("turtle-run", { ...miner, steps: [...there, ...back, ...home] }, "ores");

  const furnace = { computerId: "furnace" };
  const smelting = await call(
    "run-program",
    { ...furnace, command: "smelt", waitMs: 300 },
    "smelting",
  );
  const followed = { jobId: jobOf(smelting), cursor: 0, waitMs: 30_000 };
  const output = await call("get-job", followed, "smelting");
  const burned = [...output.matchAll(/batch (\d+) of 24: BURNED/g)].map(([, batch]) => batch);
  const seal = /Seal of this run: (\d+)/.exec(output)?.[1];
  const note = { path: "/smelted.txt", content: [...burned, seal].join(" ") };
  await call("write-file", { ...furnace, ...note }, "smelting");

  const gate = { computerId: "gate" };
  let strength: string | undefined;
  while (strength === undefined) {
    const event = await call("wait-for-event", { ...gate, name: "redstone" }, "parcel");
    strength = /left: in ([1-9]\d*)/.exec(event)?.[1];
  }
  await call("write-file", { ...gate, path: "/parcel.txt", content: strength }, "parcel");

  const folder = { from: "/irrigation", to: "/irrigation", except: ["local.cfg"], overwrite: true };
  const copied = { computerId: "farm", toComputer: "greenhouse", ...folder };
  await call("copy-file", copied, "watering");

  await call("exec-lua", { computerId: "hall", code: PICTURE }, "picture");

  const setup = await call(
    "run-program",
    { computerId: "farm", command: "setup", waitMs: 300 },
    "farm",
  );
  const steps = [{ text: "carrots\n" }, { text: "12\n" }, { text: "y" }];
  await call("send-input", { jobId: jobOf(setup), steps, waitFor: "Saved" }, "farm");
}

it("is done by a skilled user of the tools in fewer than 40 calls", async () => {
  const trial = await quickTrial();
  const untouched = await trial.score();
  expect(untouched.tasks.filter(({ missing }) => missing === undefined)).toEqual([]);
  expect(untouched.calls).toBe(0);
  await solve(trial);
  const { tasks, calls, errors } = await trial.score();
  expect(tasks.filter(({ missing }) => missing !== undefined)).toEqual([]);
  expect(errors).toBe(1);
  const waits = trial.calls.filter(({ tool }) => tool === "wait-for-event").length;
  expect(calls - waits).toBe(23);
});

it.each([
  ["as it was", [], "the door stays shut for the right code"],
  ["opens for anybody", [["code == CODE", "true"]], "the door opens for a wrong code"],
  ["never shuts", [["os.wait(OPEN_SECONDS)", "sleep(60)"]], "the door stays open"],
  ["is too quick", [["os.wait(OPEN_SECONDS)", "sleep(1.5)"]], "the door shuts too soon"],
  ["works", [["os.wait", "sleep"]], undefined],
] as const)("tries a lock that %s", async (name, changes, fault) => {
  let program = String(diskOf("gate")["/lock.lua"]);
  const repairs = [
    ["setCursor(", "setCursorPos("],
    ["tonumber(ask())", "ask()"],
  ] as const;
  for (const [from, to] of [...(name === "as it was" ? [] : repairs), ...changes]) {
    program = program.replace(from, to);
  }
  const world = await createWorld();
  onTestFinished(() => world.close());
  const { fs } = world.computer({ files: { "/lock.lua": program } });
  const found = await lockFault(fs);
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(fault);
});

it("works from a shell alone, by the words for the model", async () => {
  const cli = fileURLToPath(new URL("../trial/cli.mjs", import.meta.url));
  const as = `test-${process.pid}`;
  const run = (...args: string[]) => shell(process.execPath, [cli, ...args, "--as", as]);
  expect(await run("score")).toContain("does not run");
  const started = await run("start", "--speed", "10");
  onTestFinished(() => run("stop").then(() => {}));
  const words = readFileSync(/Read (\S+) and do/.exec(started)?.[1] ?? "", "utf8");
  const command = /^(\S+) tools/m.exec(words)?.[1] ?? expect.unreachable(words);
  const play = (...args: string[]) => shell(command, args);

  const tools = await play("tools");
  expect(tools).toMatch(new RegExp(texts.ccbridgeLetsYouAct));
  expect(tools).toMatch(/^exec-lua: Runs Lua .*\n\{"type":"object".*"computerId"/m);
  expect((await play("tasks")).match(/^\w+: /gm)).toHaveLength(8);
  expect(await play("score")).toContain("play call TOOL 'JSON' --task TASK");

  expect(await play("call", "read-file", '{"computerId":"gate"}', "--task", "lock")).toMatch(
    /^\[error\]\n.*path/,
  );
  const program = { computerId: "hall", command: "lua", waitMs: 100 };
  await play("call", "run-program", JSON.stringify(program));
  const look = { computerId: "hall", image: true };
  expect(await play("call", "read-screen", JSON.stringify(look))).toMatch(/\[picture: .*\.png\]/);
  const quoted = `${command} call exec-lua - <<'END'\n{"computerId":"hall","code":"return 'a' .. \\"b\\""}\nEND`;
  expect(await shell("/bin/sh", ["-c", quoted])).toContain('"ab"');
  expect(await play("call", "get-history", "{}")).not.toContain(texts.itHasNoHistory);
  const score = await run("score");
  expect(score).toMatch(/^lock: not done, .* \(1 call\)$/m);
  expect(score).toContain("0 of 8 tasks, 5 calls, 1 of them an error");
  expect(await run("log")).toContain('2. run-program {"computerId":"hall","command":"lua"');
});
