// What it costs that a computer keeps the files that jobs change, with CC_UNDO_JOBS on and off in alternation: how long
// the job takes, and the CPU time of bridge, computer and client together until the bridge has what was kept. In the test
// host, and in the game's own core when CC_TWEAKED names it. ROUNDS chooses how often.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { computerId, startRealComputer, wrapper } from "../computer/real-core.js";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { startUndoScene } from "./undo-scene.js";

const ROUNDS = Number(process.env.ROUNDS ?? 40);
const WARM_UP = 6;

const put = (path: string, text: string, mode: string) =>
  `do local f = fs.open(${path}, "${mode}") f.write(${text}) f.close() end`;
const get = (path: string) =>
  `do local f = fs.open(${path}, "r") local text = f.readAll() f.close() end`;

const JOBS = {
  /** Reads its settings, works and logs, and writes its settings. */
  "a program with a log and a config file": `
    local f = fs.open("/config", "r") local config = textutils.unserialize(f.readAll()) f.close()
    for i = 1, 600 do
      local sum = 0
      for j = 1, 200 do sum = sum + (config.runs * i + j) % 7 end
      ${put('"/log"', 'textutils.formatTime(os.time(), true) .. " step " .. i .. ": " .. sum .. "\\n"', "a")}
    end
    config.runs = config.runs + 1
    ${put('"/config"', "textutils.serialize(config)", "w")}`,
  /** Nothing but files: each written once, appended to and read several times. */
  "files that are written, appended to and read": `
    for n = 1, 20 do
      local path = "/d/f" .. n
      ${put("path", '("x"):rep(500)', "w")}
      for i = 1, 5 do ${get("path")} ${put("path", '"line\\n"', "a")} end
    end`,
  "200 files that are replaced once, and nothing else": `
    for n = 1, 200 do ${put('"/e/f" .. n', '("x"):rep(1000)', "w")} end`,
  "one file that is written 1,000 times": `
    for n = 1, 1000 do ${put('"/one"', '"y" .. n', "w")} end`,
};

const KEPT = "/.mcp-computer.before";

interface Place {
  exec(code: string): ReturnType<typeof callTool>;
  write(path: string, text: string): void;
  /** Resolves once the bridge has all that was kept. */
  collected(): Promise<unknown>;
  /** Of all that takes part, in milliseconds. */
  cpu(): number;
}

const ownCpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

async function testHost(keepJobFiles: boolean): Promise<Place> {
  const { computer, on } = await startUndoScene({ keepJobFiles });
  return {
    exec: (code) => on("exec-lua", { code, waitMs: 30_000 }),
    write: (path, text) => computer.fs.write(path, text),
    collected: () => computer.until(() => !computer.fs.exists(KEPT)),
    cpu: ownCpu,
  };
}

async function realCore(keepJobFiles: boolean): Promise<Place> {
  const bridge = await startTestBridge({ keepJobFiles });
  const { root, pid } = await startRealComputer(bridge, { quota: 8_000_000 });
  const client = await connectClient(bridge.mcpUrl);
  const tasks = `/proc/${pid}/task`;
  const nanosOf = (task: string) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]);
  return {
    exec: (code) => callTool(client, "exec-lua", { computerId, code, waitMs: 30_000 }),
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    async collected() {
      // Failed assertions would count as CPU time of the bridge.
      while (existsSync(join(root, KEPT))) await sleep(5);
    },
    cpu: () =>
      ownCpu() + readdirSync(tasks).reduce((sum, task) => sum + nanosOf(task), 0) / 1_000_000,
  };
}

type Round = { readonly all: number; readonly job: number };

async function runOn(place: Place, code: string): Promise<Round> {
  place.write("/config", '{ runs = 1, name = "gate" }');
  place.write("/log", "line\n".repeat(5_000));
  const before = place.cpu();
  const timed = `local t = os.epoch("utc") ${code} return os.epoch("utc") - t`;
  const { structuredContent, text } = await place.exec(timed);
  const { state, returns } = structuredContent as {
    state?: string;
    returns?: { value: number }[];
  };
  expect(state, text).toBe("done");
  await place.collected();
  await sleep(50);
  return { all: place.cpu() - before, job: returns?.[0]?.value ?? Number.NaN };
}

/** Of the half in which other programs disturbed least: the clock has milliseconds only. */
function mean(values: readonly number[]): number {
  const least = values.toSorted((a, b) => a - b).slice(0, Math.ceil(values.length / 2));
  return least.reduce((sum, value) => sum + value, 0) / least.length;
}

const places = { "the test host": testHost, "the real core": realCore };

describe.each(Object.entries(places))("in %s", (where, start) => {
  const isMissing = start === realCore && wrapper === undefined;
  it.skipIf(isMissing).each(Object.entries(JOBS))(
    "%s",
    async (name, code) => {
      const [on, off] = [await start(true), await start(false)];
      for (const place of [on, off]) {
        for (let n = 1; n <= 200; n++) place.write(`/e/f${n}`, "o".repeat(1_000));
        for (let n = 1; n <= 20; n++) place.write(`/d/f${n}`, "o".repeat(1_000));
        place.write("/one", "y");
      }
      const rounds: { on: Round; off: Round }[] = [];
      for (let round = -WARM_UP; round < ROUNDS; round++) {
        const isOnFirst = round % 2 === 0;
        const first = await runOn(isOnFirst ? on : off, code);
        const second = await runOn(isOnFirst ? off : on, code);
        const result = isOnFirst ? { on: first, off: second } : { on: second, off: first };
        if (round >= 0) rounds.push(result);
      }
      const line = (what: keyof Round) => {
        const [kept, plain] = [
          mean(rounds.map((round) => round.on[what])),
          mean(rounds.map((round) => round.off[what])),
        ];
        return `${kept.toFixed(1)} ms instead of ${plain.toFixed(1)} ms (${(kept / plain).toFixed(2)})`;
      };
      process.stdout.write(
        `${where}, ${name}: the job ${line("job")}; CPU time of everything ${line("all")}\n`,
      );
    },
    600_000,
  );
});
