import { expect, it, onTestFinished } from "vitest";
import { startTrial, type Trial } from "../trial/trial.js";

const TALLY = `
local total = 0
for _, chest in ipairs({ peripheral.find("inventory") }) do
  for _, stack in pairs(chest.list()) do
    if stack.name == "minecraft:" .. item then total = total + stack.count end
  end
end
`;

const BOARD = `
local item, monitor = "iron_ingot", peripheral.wrap("top")
while true do
  ${TALLY}
  monitor.clear()
  monitor.setCursorPos(1, 1)
  monitor.write(tostring(total))
  sleep(2)
end
`;

const STOCK = `
return {
  description = "How many of an item are in all chests.",
  input = { item = { type = "string" } },
  run = function(args)
    local item = args.item
    ${TALLY}
    return total
  end,
}
`;

const WATER = `
return {
  description = "Opens the valve for some minutes.",
  input = { minutes = { type = "integer" } },
  run = function(args)
    return peripheral.find("valve").open(args.minutes)
  end,
}
`;

async function solve(trial: Trial): Promise<void> {
  const call = async (tool: string, args: Record<string, unknown>, task: string) => {
    const { content } = await trial.call(tool, args, task);
    return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  };
  await call("list-computers", {}, "board");
  await call("run-program", { computerId: "barn", command: "lamp", atBoot: true }, "boot");

  const cellar = { computerId: "cellar" };
  await call("write-file", { ...cellar, path: "/board.lua", content: BOARD }, "board");
  await call("run-program", { ...cellar, command: "board", waitMs: 500 }, "board");

  const mill = { computerId: "mill" };
  const shown = await call("read-screen", { ...mill, monitor: "right" }, "reading");
  const flour = /Flour: (\d+)/.exec(shown)?.[1] ?? expect.unreachable(shown);
  await call("write-file", { ...mill, path: "/flour.txt", content: flour }, "reading");

  await call("write-file", { ...cellar, path: "/mcp-tools/stock.lua", content: STOCK }, "teach");
  await call("call-offered-tool", { name: "stock", arguments: { item: "coal" } }, "teach");

  const farm = { computerId: "farm", path: "/mcp-tools/water.lua", content: WATER };
  await call("write-file", farm, "mend");

  const bell = { event: "redstone", provider: "gate", filter: { top: true }, message: "The bell" };
  const often = { times: 1_000, everyMs: 2_000, until: "30d" };
  await call("create-alert", { ...bell, ...often, chat: "Ann", chatBy: "hall" }, "told");

  await call("get-history", { provider: "greenhouse", client: "helper", changes: true }, "account");
  const changed = "/beds/climate.cfg\n/beds/plan.txt\n/recipe.txt\n";
  const greenhouse = { computerId: "greenhouse" };
  await call("write-file", { ...greenhouse, path: "/changed.txt", content: changed }, "account");
  await call("undo-change", { file: "/recipe.txt", client: "helper", dryRun: false }, "undo");

  const steps = [...new Array(4).fill(["dig", "forward"]).flat(), "back 4"];
  await call("turtle-run", { computerId: "digger*", steps }, "digging");

  const open = await call("list-jobs", { computerId: "office" }, "free");
  for (const [line] of open.matchAll(/^.*(?:lua|guests)$/gm)) {
    const jobId = /^[\w-]+/.exec(line)?.[0] ?? expect.unreachable(line);
    await call("cancel-job", { jobId }, "free");
  }
}

it("is done by a skilled user of the tools in 19 calls", async () => {
  const trial = await startTrial({ ticksPerSecond: 200, place: "village" });
  onTestFinished(() => trial.close());
  expect(trial.tasks).toHaveLength(10);
  await solve(trial);
  const { tasks, calls, errors } = await trial.score();
  expect(tasks.filter(({ missing }) => missing !== undefined)).toEqual([]);
  expect({ calls, errors }).toEqual({ calls: 19, errors: 0 });
});

it("is not done by anything that happens by itself", async () => {
  const trial = await startTrial({ ticksPerSecond: 2_000, place: "village" });
  onTestFinished(() => trial.close());
  const { tasks } = await trial.score();
  expect(tasks.filter(({ missing }) => missing === undefined)).toEqual([]);
});
