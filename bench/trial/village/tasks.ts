import type { Look, Task } from "../trial.js";
import { DIGGERS, homeOf, tunnelOf, type Village } from "./village.js";

const INGOT = "minecraft:iron_ingot";
const PATIENCE_MS = 30_000;

export const villageTasks: readonly Task<Village>[] = [
  {
    name: "boot",
    words:
      "The lamp in the barn (the program lamp) is to run always: it should start by itself whenever the barn's computer starts, and run from now on. I want to reach that computer from here after a restart, as before.",
    missing: lampMissing,
  },
  {
    name: "board",
    words:
      "Make the monitor on top of the cellar's computer show how many iron ingots there are in all of its chests together, just the number. When something changes it has to be right within ten seconds, and it has to go on when you are done.",
    missing: boardMissing,
  },
  {
    name: "reading",
    words:
      "What does the big monitor at the mill show right now? Write the number behind Flour into /flour.txt on that computer. Leave the board as it is.",
    missing: readingMissing,
  },
  {
    name: "teach",
    words:
      "Teach the cellar's computer a tool for you that is called stock: it takes the name of an item, such as coal, and returns how many of it are in all chests. Try it once.",
    missing: stockMissing,
  },
  {
    name: "mend",
    words:
      "The farm's computer has a tool called water that never shows up for you. Mend it: given the minutes, it opens the valve for that long and returns what the valve answers.",
    missing: waterMissing,
  },
  {
    name: "told",
    words:
      "I am Ann. From now on, tell me in the chat whenever the bell at the gate rings (a redstone signal at the top of the gate's computer). There is a chat box at the hall's computer. Do not wait for it: I will ring later, when you are gone.",
    missing: bellMissing,
  },
  {
    name: "account",
    words:
      "Which files on the greenhouse's computer did my helper change today? Write their paths into /changed.txt on that computer, each on one line, sorted by name.",
    missing: accountMissing,
  },
  {
    name: "digging",
    words:
      "The turtles digger1, digger2 and digger3 each look north at a rock wall. Each should dig a tunnel four blocks long straight ahead and come back to where it stands now, looking north again. All three at the same time.",
    missing: diggingMissing,
  },
  {
    name: "free",
    words:
      "At the office's computer some programs are open that only wait for input. End all of those; the program tally must go on as it is, it has counted since this morning.",
    missing: promptsMissing,
  },
  {
    name: "undo",
    words:
      "What my helper did to /recipe.txt on the greenhouse's computer was a mistake. Bring the file back as it was before that.",
    missing: ({ computers: { greenhouse } }) =>
      greenhouse.fs.exists("/recipe.txt") && greenhouse.fs.read("/recipe.txt") === RECIPE
        ? undefined
        : "/recipe.txt is not as it was",
  },
];

const RECIPE = "flour 3\nwater 2\nsalt 1\nbake 40 minutes\n";
const CARTS = 3;
const CHANGED = ["/beds/climate.cfg", "/beds/plan.txt", "/recipe.txt"];

/** What happened before the player came: the board runs, and a helper has been at work. */
export async function beforeVillage(
  { computers: { office } }: Village,
  helper: (tool: string, args: Record<string, unknown>) => Promise<string>,
): Promise<void> {
  await helper("run-program", { computerId: "mill", command: "board", waitMs: 500 });
  await helper("run-program", { computerId: "office", command: "tally", waitMs: 500 });
  for (const command of ["lua", "guests", "lua", "guests"]) {
    await helper("run-program", { computerId: "office", command, waitMs: 500 });
  }
  const greenhouse = { computerId: "greenhouse" };
  await helper("read-file", { ...greenhouse, path: "/vents.cfg" });
  const plan = { path: "/beds/plan.txt", content: "tomatoes: row 1\nbasil: rows 2 and 3\n" };
  await helper("write-file", { ...greenhouse, ...plan });
  const climate = { path: "/beds/climate.cfg", oldText: "heat = 21", newText: "heat = 23" };
  await helper("edit-file", { ...greenhouse, ...climate });
  const recipe = { path: "/recipe.txt", oldText: "salt 1", newText: "sugar 9" };
  await helper("edit-file", { ...greenhouse, ...recipe });
  for (let cart = 0; cart < CARTS; cart++) office.queueEvent("cart");
  await until(() => tallyOf(office) === CARTS);
}

function tallyOf({ fs }: Village["computers"]["office"]): number {
  return fs.exists("/carts.txt") ? Number(fs.read("/carts.txt")) : 0;
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<boolean> {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    if (await isTrue()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

async function lampMissing({ computers: { barn } }: Village, { isLinked }: Look) {
  const lights = (state: boolean) => until(() => barn.redstone.output("back") > 0 === state);
  const isBlinking = async () => (await lights(true)) && (await lights(false)) && lights(true);
  if (!(await isBlinking())) return "the lamp does not blink";
  barn.reboot();
  await until(() => !isLinked(barn.id));
  if (!(await isBlinking())) return "the lamp does not blink after a restart";
  if (!(await until(() => isLinked(barn.id)))) return "the computer is not linked after a restart";
}

async function boardMissing({ chests, monitors: { cellar } }: Village) {
  const [first] = chests;
  if (first === undefined) return "there is no chest";
  const total = () =>
    chests
      .flatMap(({ slots }) => slots.orderFrom(1).map((slot) => slots.get(slot)))
      .reduce((sum, stack) => sum + (stack?.name === INGOT ? stack.count : 0), 0);
  const shows = () => new RegExp(`(^|\\D)${total()}(\\D|$)`).test(cellar.screen.text());
  if (!shows()) return "the monitor does not show the number";
  const before = first.slots.get(27);
  first.slots.set(27, { name: INGOT, count: 23 });
  const isRight = await until(shows);
  first.slots.set(27, before);
  if (!isRight) return "the monitor does not follow a change";
  if (!(await until(shows))) return "the monitor follows only once";
}

function readingMissing({ computers: { mill }, monitors }: Village): string | undefined {
  const shown = /Flour: (\d+)/.exec(monitors.mill.screen.text())?.[1];
  if (shown === undefined) return "the board is gone";
  if (!mill.fs.exists("/flour.txt")) return "/flour.txt is not there";
  const noted = mill.fs.read("/flour.txt").trim();
  return noted === shown ? undefined : `/flour.txt says ${noted}`;
}

async function stockMissing({ chests }: Village, { useOffered }: Look) {
  const count = (name: string) =>
    chests
      .flatMap(({ slots }) => slots.orderFrom(1).map((slot) => slots.get(slot)))
      .reduce((sum, stack) => sum + (stack?.name === `minecraft:${name}` ? stack.count : 0), 0);
  for (const name of ["coal", "bread"]) {
    const answer = await useOffered("stock", name);
    if (answer === undefined) return "no tool called stock is offered";
    if (!new RegExp(`(^|\\D)${count(name)}(\\D|$)`).test(answer)) {
      return `stock says of ${name}: ${answer.slice(0, 200)}`;
    }
  }
}

async function waterMissing({ valve }: Village, { useOffered }: Look) {
  const answer = await useOffered("water", 7);
  if (answer === undefined) return "no tool called water is offered";
  if (valve.noted.at(-1) !== 7) return "water does not open the valve for 7 minutes";
  return answer.includes("open for 7 minutes") ? undefined : "water does not return the answer";
}

async function bellMissing({ computers: { gate }, chat }: Village, { ticks }: Look) {
  const heard = () => chat.noted.filter(({ to }) => to === undefined || /^(ann|@a)$/i.test(to));
  const before = heard().length;
  gate.redstone.setInput("top", 15);
  await ticks(20);
  gate.redstone.setInput("top", 0);
  if (!(await until(() => heard().length > before))) return "Ann did not hear of the bell";
}

function accountMissing({ computers: { greenhouse } }: Village): string | undefined {
  if (!greenhouse.fs.exists("/changed.txt")) return "/changed.txt is not there";
  const noted = greenhouse.fs
    .read("/changed.txt")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => `/${line.replace(/^\//, "")}`);
  return noted.join() === CHANGED.join() ? undefined : `/changed.txt says ${noted.join(", ")}`;
}

function diggingMissing({ world, computers }: Village): string | undefined {
  for (const [index, name] of DIGGERS.entries()) {
    const left = tunnelOf(index).filter((at) => world.blocks.get(at) !== undefined).length;
    if (left > 0) return `${left} blocks are left before ${name}`;
    const { turtle } = computers[name];
    const { x, z } = turtle?.position ?? homeOf(9);
    const home = homeOf(index);
    if (x !== home.x || z !== home.z || turtle?.facing !== "north") return `${name} is not back`;
  }
}

async function promptsMissing({ computers: { office } }: Village, { running }: Look) {
  const open = running(office.id);
  const prompts = open.filter((summary) => /\b(lua|guests)\b/.test(summary));
  if (prompts.length > 0) return `${prompts.length} programs still wait for input`;
  const before = tallyOf(office);
  if (before < CARTS) return "tally was started again";
  office.queueEvent("cart");
  const counts = () => tallyOf(office) > before;
  return (await until(counts)) ? undefined : "tally does not count any more";
}
