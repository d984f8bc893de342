// What it costs that a computer keeps the files that jobs change, with CC_UNDO_JOBS on and off in alternation: how long
// the job takes, and the CPU time of bridge, computer and client together until the bridge has what was kept. ROUNDS
// chooses how often.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
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

it.each(Object.entries(JOBS))(
  "%s",
  async (name, code) => {
    const scenes = [await startUndoScene(), await startUndoScene({ keepJobFiles: false })] as const;
    for (const { computer } of scenes) {
      for (let n = 1; n <= 200; n++) computer.fs.write(`/e/f${n}`, "o".repeat(1_000));
      for (let n = 1; n <= 20; n++) computer.fs.write(`/d/f${n}`, "o".repeat(1_000));
      computer.fs.write("/one", "y");
    }
    const run = async ({ on, computer }: (typeof scenes)[number]) => {
      computer.fs.write("/config", '{ runs = 1, name = "gate" }');
      computer.fs.write("/log", "line\n".repeat(5_000));
      const timed = `local t = os.epoch("utc") ${code} return os.epoch("utc") - t`;
      const before = process.cpuUsage();
      const { structuredContent, text } = await on("exec-lua", { code: timed, waitMs: 30_000 });
      const { state, returns } = structuredContent as {
        state?: string;
        returns?: { value: number }[];
      };
      expect(state, text).toBe("done");
      await computer.until(() => !computer.fs.exists("/.mcp-computer.before"));
      await sleep(50);
      const { user, system } = process.cpuUsage(before);
      return { all: (user + system) / 1_000, job: returns?.[0]?.value ?? Number.NaN };
    };
    const [on, off] = scenes;
    const results: { on: Awaited<ReturnType<typeof run>>; off: Awaited<ReturnType<typeof run>> }[] =
      [];
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const isOnFirst = round % 2 === 0;
      const first = await run(isOnFirst ? on : off);
      const second = await run(isOnFirst ? off : on);
      const result = isOnFirst ? { on: first, off: second } : { on: second, off: first };
      if (round >= 0) results.push(result);
    }
    /** Of the half in which other programs disturbed least: the clock has milliseconds only. */
    const mean = (side: "on" | "off", what: "all" | "job") => {
      const values = results.map((result) => result[side][what]).sort((a, b) => a - b);
      const least = values.slice(0, Math.ceil(values.length / 2));
      return least.reduce((sum, value) => sum + value, 0) / least.length;
    };
    const line = (what: "all" | "job") => {
      const [kept, plain] = [mean("on", what), mean("off", what)];
      return `${kept.toFixed(1)} ms instead of ${plain.toFixed(1)} ms (${(kept / plain).toFixed(2)})`;
    };
    process.stdout.write(
      `${name}: the job ${line("job")}; CPU time of everything ${line("all")}\n`,
    );
  },
  600_000,
);
