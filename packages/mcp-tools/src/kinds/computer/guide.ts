/** A part of the guide. Each rule has a program in a test that shows it in the game's Lua. */
export interface GuidePart {
  title: string;
  rules: Readonly<Record<string, string>>;
}

export const guideParts: readonly GuidePart[] = [
  {
    title: "Lua",
    rules: {
      version:
        "It is Lua 5.2 with one number type: no integers, `//`, `&`, `|`, `<<`. Use `math.floor(a / b)` and `bit32`.",
      globals:
        "A variable without `local` is a global of that program run: the next run does not see it, and a `require`d module has its own.",
      tables:
        "`print(t)` shows only an address. Use `textutils.serialise(t)`, or return the table.",
      colours: "`colors.red` and the others are powers of two, not 0 to 15; add them up for a set.",
      time: '`os.epoch("utc")` is real time in milliseconds. `os.time()` is the hour of the day in the game, `os.clock()` the seconds since this computer started.',
    },
  },
  {
    title: "Events and yielding",
    rules: {
      yielding:
        "A program that computes for 7 seconds without yielding is killed. In long loops call `sleep(0)` now and then; it yields for one tick (0.05 s).",
      sleep:
        "`sleep`, `turtle` calls and most `peripheral` calls wait for their own event and discard all others. To listen while something else runs, use `parallel.waitForAny(work, listen)`.",
      parallel:
        "`parallel.waitForAny` ends when the first function ends and drops the rest; `waitForAll` waits for all of them. Every function sees every event.",
      pull: '`os.pullEvent("name")` waits for one kind and returns the name first, then the values. Ctrl+T ends it with the error "Terminated"; only `os.pullEventRaw` sees that as an event.',
      timers:
        "`os.startTimer(s)` returns an id. Compare it: other timers arrive under the same event name.",
    },
  },
  {
    title: "Turtles",
    rules: {
      results:
        "`turtle.forward()`, `dig`, `place`, `suck` and the like do not raise errors: they return `false` and a reason. Check every result, or the turtle loses its way.",
      fuel: 'Each move uses 1 fuel, turning and digging use none; a new turtle has none. `turtle.refuel(n)` burns items of the selected slot. `turtle.getFuelLevel()` can be the text "unlimited".',
      inspect:
        "`turtle.inspect()` returns `true` and a table with `name`, or `false` and a text. `turtle.detect()` only says whether a block is there.",
      slots:
        "Slots are 1 to 16. `turtle.getItemDetail(n)` is nil for an empty slot. Most calls act on the slot of `turtle.select(n)`.",
      position:
        "A turtle knows neither its position nor its direction. Count moves, or use `gps.locate()`, which is nil without GPS hosts in range.",
    },
  },
  {
    title: "Peripherals",
    rules: {
      find: "`peripheral.find(type)` and `peripheral.wrap(name)` return nil if there is none: check before you call a method.",
      inventories:
        "`inventory.list()` has gaps: use `pairs`, not `ipairs` or `#`. The items have `name` and `count`; details only by `getItemDetail(slot)`.",
      network:
        "`pushItems` and `pullItems` take the name of the other inventory, and both must be on the same wired network.",
      rednet: "Before `rednet.send` or `rednet.broadcast`, open the modem: `rednet.open(side)`.",
    },
  },
  {
    title: "Files and startup",
    rules: {
      files:
        "`fs.open` returns nil and a reason if it fails. What was written is only safe after `close()`. `fs` paths always start at the root, whatever the shell's folder is.",
      startup:
        "`/startup.lua`, and each file in `/startup/`, runs when the computer starts: after a reboot or when its chunk is loaded again, all variables are gone. Keep state in a file.",
      shell:
        "`shell` exists only in programs that the shell runs, and `require` loads modules relative to the program's folder. `shell.run` returns false when the program fails.",
      http: "`http.get` returns nil and a reason if it fails; read the answer with `readAll()` and `close()` it.",
    },
  },
];

const intro =
  "What is different in the Lua of ComputerCraft (CC:Tweaked), and goes wrong most often in programs for it.";

export function guideText(): string {
  const parts = guideParts.map(
    ({ title, rules }) =>
      `## ${title}\n\n${Object.values(rules)
        .map((rule) => `- ${rule}`)
        .join("\n")}`,
  );
  return [intro, ...parts].join("\n\n");
}
