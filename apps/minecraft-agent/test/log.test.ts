import {
  appendFileSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { factOf, parseChatPattern } from "../src/log/facts.js";
import { parseLogLine } from "../src/log/line.js";
import { LogTail } from "../src/log/tail.js";
import { layouts } from "./fake-server/log.js";

const parse = (text: string, thread = "Server thread") => factOf({ thread, level: "INFO", text });

describe("log lines", () => {
  it.each(Object.entries(layouts))("have a prefix on %s", (_, layout) => {
    expect(parseLogLine(layout("Server thread", "Steve joined the game"))).toEqual({
      thread: "Server thread",
      level: "INFO",
      text: "Steve joined the game",
    });
  });

  it.each([
    "[12:34:56] [Server thread/INFO] [minecraft/DedicatedServer]: hi",
    "[12:34:56] [Server thread/INFO]: \u001b[33mhi\u001b[m\r",
    "[12:34:56 INFO]: §ahi",
  ])("are read as %s", (line) => {
    expect(parseLogLine(line)).toMatchObject({ thread: "Server thread", text: "hi" });
  });

  it.each(["", "\tat net.minecraft.Foo(Foo.java:1)", "Steve joined the game"])(
    "are not what has no prefix: %j",
    (line) => expect(parseLogLine(line)).toBeUndefined(),
  );

  it.each<[string, object | undefined]>([
    ["Steve joined the game", { kind: "join", player: "Steve" }],
    ["Steve (formerly known as Bob) joined the game", { kind: "join", player: "Steve" }],
    [".Bedrock joined the game", { kind: "join", player: ".Bedrock" }],
    ["Steve left the game", { kind: "quit", player: "Steve" }],
    ["<Steve> hi", { kind: "chat", player: "Steve", message: "hi" }],
    ["[Not Secure] <Steve> hi", { kind: "chat", player: "Steve", message: "hi" }],
    ["<Steve> Alex left the game", { kind: "chat", player: "Steve" }],
    ["<Steve> > <Alex> hi", { kind: "chat", player: "Steve", message: "> <Alex> hi" }],
    ["[Steve] Alex left the game", undefined],
    ["* Steve left the game", undefined],
    ["[Rcon] Steve joined the game", undefined],
    ["[Steve: Set own game mode to Creative Mode]", undefined],
    ["Steve has made the advancement [Stone Age]", undefined],
    ["Steve lost connection: Disconnected", undefined],
    ["Named entity Cow['Zed'/9, l='w'] died: Zed fell from a high place", { sure: false }],
    ["Steve was slain by Zombie", { kind: "death", sure: true, killer: "Zombie" }],
    ["Steve was slain by Alex using [Sword]", { kind: "death", sure: true, killer: "Alex" }],
    ["Steve fell from a high place", { kind: "death", sure: true, killer: undefined }],
    ["Steve walked into a cactus whilst trying to escape Alex", { sure: true, killer: "Alex" }],
    ["Steve tried to swim in lava", { kind: "death", sure: true }],
    ["Steve exploded in a modded way", { kind: "death", sure: false }],
    ["Starting minecraft server version 1.20.4", { kind: "version", version: "1.20.4" }],
  ])("are parsed: %s", (text, fact) => {
    if (fact === undefined) expect(parse(text)).toBeUndefined();
    else expect(parse(text)).toMatchObject(fact);
  });

  it("are ignored for joins and deaths from other threads", () => {
    for (const text of ["Steve joined the game", "Steve left the game", "Steve drowned"]) {
      expect(parse(text, "Async Chat Thread - #1")).toBeUndefined();
      expect(parse(text, "Worker-Main-3")).toBeUndefined();
    }
    expect(parse("<Steve> hi", "Async Chat Thread - #1")).toMatchObject({ kind: "chat" });
    expect(factOf({ thread: "Server thread", level: "WARN", text: "<Steve> hi" })).toBeUndefined();
  });

  it("never mistake what a player writes for anything but chat", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^\w{1,16}$/),
        fc.oneof(
          fc.string({ maxLength: 60 }),
          fc.constantFrom("Steve joined the game", "> Steve left the game", "<A> x", "]: x"),
        ),
        fc.constantFrom(...Object.values(layouts)),
        (player, message, layout) => {
          const text = message.replace(/\p{Cc}|§./gu, "");
          const line = parseLogLine(layout("Server thread", `<${player}> ${text}`));
          expect(line && factOf(line)).toEqual({ kind: "chat", player, message: text });
        },
      ),
    );
  });

  it("may have a custom chat format", () => {
    const pattern = parseChatPattern("^\\[\\w+\\] (\\w+): (.*)$");
    const line = { thread: "Server thread", level: "INFO", text: "[VIP] Steve: hi" };
    expect(factOf(line, pattern)).toEqual({ kind: "chat", player: "Steve", message: "hi" });
    expect(() => parseChatPattern("^(.*)$")).toThrow(/two groups/);
    expect(() => parseChatPattern("(")).toThrow();
  });
});

describe("following a log", () => {
  async function follow(before = "old line\n") {
    const folder = mkdtempSync(join(tmpdir(), "ccbridge-tail-"));
    const path = join(folder, "latest.log");
    writeFileSync(path, before);
    const lines: string[] = [];
    const problems: string[] = [];
    const tail = new LogTail({
      path,
      pollMs: 3_600_000,
      onLine: (line) => lines.push(line),
      onProblem: (reason) => problems.push(reason),
    });
    onTestFinished(async () => {
      await tail.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    await tail.start();
    return { folder, path, lines, problems, tail };
  }

  it("begins at the end, and keeps half lines and half characters", async () => {
    const { path, lines, tail } = await follow();
    appendFileSync(path, "one\ntw");
    await tail.poll();
    const bytes = Buffer.from("o é😀\n");
    for (const byte of bytes) {
      appendFileSync(path, Buffer.from([byte]));
      await tail.poll();
    }
    expect(lines).toEqual(["one", "two é😀"]);
  });

  it("reads the old file to its end when a new one begins", async () => {
    const { path, lines, tail } = await follow();
    appendFileSync(path, "a\n");
    renameSync(path, `${path}.1`);
    await tail.poll();
    appendFileSync(`${path}.1`, "b\nlast");
    writeFileSync(path, "c\n");
    await tail.poll();
    appendFileSync(path, "d\n");
    await tail.poll();
    expect(lines).toEqual(["a", "b", "last", "c", "d"]);
  });

  it("begins again when the file is emptied, also when it grew past the place meanwhile", async () => {
    const { path, lines, tail } = await follow("first\n");
    truncateSync(path);
    appendFileSync(path, "x\n");
    await tail.poll();
    writeFileSync(path, `another beginning, longer than before\n`);
    await tail.poll();
    expect(lines).toEqual(["x", "another beginning, longer than before"]);
  });

  it("waits for a log that does not exist yet, and reports that once", async () => {
    const { path, lines, problems, tail } = await follow();
    await tail.stop();
    const missing = new LogTail({
      path: `${path}.new`,
      pollMs: 3_600_000,
      onLine: (line) => lines.push(line),
      onProblem: (reason) => problems.push(reason),
    });
    onTestFinished(() => missing.stop());
    await missing.start();
    await missing.poll();
    expect(problems).toHaveLength(1);
    writeFileSync(`${path}.new`, "hello\n");
    await missing.poll();
    expect(lines).toEqual(["hello"]);
  });

  it("skips lines that are longer than any that matters", async () => {
    const { path, lines, tail } = await follow();
    appendFileSync(path, `${"x".repeat(100_000)}\nshort\n`);
    await tail.poll();
    expect(lines).toEqual(["short"]);
  });

  it("gives every line once and in order, whatever happens to the file", async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant("append" as const),
        text: fc.stringMatching(/^[a-zé ]{1,20}$/),
      }),
      fc.record({ kind: fc.constantFrom("poll" as const, "rotate" as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const folder = mkdtempSync(join(tmpdir(), "ccbridge-tail-"));
        const path = join(folder, "latest.log");
        writeFileSync(path, "");
        const lines: string[] = [];
        const tail = new LogTail({ path, pollMs: 3_600_000, onLine: (line) => lines.push(line) });
        await tail.start();
        const expected: string[] = [];
        let rotations = 0;
        for (const [index, action] of steps.entries()) {
          if (action.kind === "poll") await tail.poll();
          else if (action.kind === "append") {
            expected.push(`${index} ${action.text}`);
            appendFileSync(path, `${index} ${action.text}\n`);
          } else {
            await tail.poll();
            renameSync(path, `${path}.${rotations++}`);
            writeFileSync(path, "");
          }
        }
        await tail.poll();
        await tail.stop();
        rmSync(folder, { recursive: true, force: true });
        expect(lines).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });
});
