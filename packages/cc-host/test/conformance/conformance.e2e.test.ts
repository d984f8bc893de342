import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConformanceCase, expectedLines, isAtLeast, type Subject } from "./case.js";
import { dialect } from "./cases/dialect.js";
import { events } from "./cases/events.js";
import { execution } from "./cases/execution.js";
import { files } from "./cases/files.js";
import { json } from "./cases/json.js";
import { network } from "./cases/network.js";
import { shell } from "./cases/shell.js";
import { terminal } from "./cases/terminal.js";
import { craftosPc, type Machine, type Remains, realCore, testHost } from "./machines.js";
import { startServer } from "./server.js";

const groups = { dialect, events, execution, files, json, network, shell, terminal };
const cases = Object.entries(groups).flatMap(([group, members]) =>
  members.map((each) => ({ ...each, name: `${group}: ${each.name}` })),
);

const { CC_TWEAKED, CRAFTOS_PC, CRAFTOS_ROM } = process.env;

const machines: Machine[] = [
  testHost("1.113.1"),
  testHost("1.102.2"),
  ...(CC_TWEAKED === undefined ? [] : [realCore(CC_TWEAKED)]),
  ...(CRAFTOS_PC === undefined ? [] : [craftosPc(CRAFTOS_PC, CRAFTOS_ROM)]),
];

function program(each: ConformanceCase, address: string): string {
  const [server, silent] = address.split("|");
  const report =
    'local function report(...) local t = {} for i = 1, select("#", ...) do t[i] = tostring((select(i, ...))) end ' +
    'local f = fs.open(_G.OUT, "a") f.write(table.concat(t, "|") .. "\\n") f.close() end ';
  return `local SERVER, SILENT = "${server}", "${silent}" ${report}${each.lua}`;
}

const RUNNER = `
  local function note(path, text) local f = fs.open(path, "a") f.write(text) f.close() end
  local function deadline(timer)
    repeat local event, id = os.pullEventRaw() until event == "timer" and id == timer
    note(_G.OUT, "the program did not end\\n")
  end
  note("/out/version", _HOST)
  local ok, problem = pcall(function()
    for i = 1, COUNT do
      -- The next one begins with an empty queue and its full seven seconds.
      repeat os.queueEvent("between") until os.pullEventRaw() == "between"
      os.queueEvent("next")
      os.pullEventRaw("next")
      _G.OUT = "/out/" .. i
      fs.delete("/t.lua")
      fs.copy("/cases/" .. i .. ".lua", "/t.lua")
      local timer = os.startTimer(30)
      parallel.waitForAny(function()
        if not shell.run("/t.lua") then note(_G.OUT, "the program failed\\n") end
      end, function() deadline(timer) end)
      os.cancelTimer(timer)
    end
  end)
  if not ok then note("/out/problem", tostring(problem)) end
  note("/done", "")
  os.shutdown()
`;

function disk(chosen: readonly ConformanceCase[], address: string): Record<string, string> {
  const programs = chosen.map((each, index) => [`/cases/${index + 1}.lua`, program(each, address)]);
  return {
    ...Object.fromEntries(programs),
    "/startup.lua": RUNNER.replace("COUNT", String(chosen.length)),
  };
}

function linesOf(remains: Remains, index: number): string[] {
  return remains.files[String(index + 1)]?.split("\n").slice(0, -1) ?? [];
}

describe.each(machines)("$title", (machine) => {
  const applies = (each: ConformanceCase) =>
    !(machine.emulator && each.notInEmulator !== undefined);
  const together = cases.filter((each) => applies(each) && !each.endsOff);
  const computing = together.filter((each) => each.computes);
  const others = together.filter((each) => !each.computes);
  const lines = new Map<ConformanceCase, string[]>();
  let server: Awaited<ReturnType<typeof startServer>>;
  let subject: Subject;

  beforeAll(async () => {
    server = await startServer();
    let version: string | undefined;
    for (const chosen of [others, computing]) {
      const remains = await machine.boot(disk(chosen, server.address), chosen === computing);
      expect(remains.files.problem).toBeUndefined();
      version = /ComputerCraft (\S+)/.exec(remains.files.version ?? "")?.[1];
      for (const [index, each] of chosen.entries()) lines.set(each, linesOf(remains, index));
    }
    if (version === undefined) throw new Error("the computer did not say its version");
    subject = { since: (minimum) => isAtLeast(version, minimum), emulator: machine.emulator };
  }, 300_000);
  afterAll(() => server.close());

  const compare = (each: ConformanceCase, lines: readonly string[]) =>
    expect(lines).toEqual(
      expectedLines(each, subject).map((line) =>
        typeof line === "string" ? line : expect.stringMatching(line),
      ),
    );

  for (const each of cases) {
    if (!applies(each)) it.skip(`${each.name} (${each.notInEmulator})`, () => {});
    else if (each.endsOff) {
      it(each.name, { timeout: 60_000 }, async () => {
        const alone = await machine.boot(disk([each], server.address), true);
        compare(each, linesOf(alone, 0));
        expect(alone.crashed).toBe(true);
      });
    } else it(each.name, () => compare(each, lines.get(each) ?? []));
  }
});

describe.skipIf(CC_TWEAKED !== undefined)("CC:Tweaked", () => {
  it.skip("skipped: CC_TWEAKED names no wrapper", () => {});
});

describe.skipIf(CRAFTOS_PC !== undefined)("CraftOS-PC", () => {
  it.skip("skipped: CRAFTOS_PC names no binary", () => {});
});
