import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../../vitest.texts.js";
import { call, createRegistry, linkRaw } from "../../harness.js";

const SCREEN = {
  ...{ width: 2, height: 1, cursor: { x: 1, y: 1, blink: false } },
  ...{ colour: true, text: "ok" },
};
const FEATURES = ["cancel", "output", "chunk", "jobs"];
const METHODS = [
  ...["run-program", "read-screen", "send-input", "boot-programs", "about-computer"],
  ...["write-file", "exec-lua"],
];

type Answers = Record<string, object>;

function computer(answers: Answers = {}, limits: object = {}, hello: object = {}) {
  const registry = createRegistry(limits);
  const requests: { id: string; method: string; params?: object }[] = [];
  const end = linkRaw(
    registry,
    {
      ...{ computerId: 1, computerLabel: "bob", protocol: 2, instance: "i" },
      ...{ features: FEATURES, methods: METHODS, ...hello },
    },
    (request, send) => {
      requests.push(request);
      const answer = answers[request.method];
      if (answer !== undefined) send({ type: "response", id: request.id, ok: true, ...answer });
    },
  );
  return { registry, requests, end };
}

/** A running program whose screen is not shown. */
const UNREAD = { "read-screen": { ok: false, error: "not now" } };
const program = { computerId: 1, command: "edit a", waitMs: 0 };

describe("programs that wait for input", () => {
  it("have a limit of theirs: a further one is refused with what to end, other work goes on", async () => {
    const { registry, requests } = computer(UNREAD, { maxPrograms: 2, maxJobs: 1 });
    await call(registry, "run-program", program);
    await call(registry, "run-program", { ...program, command: "lua" });
    const refused = await call(registry, "run-program", { ...program, command: "edit b" });
    const started = requests.filter(({ method }) => method !== "read-screen");
    const [one, two] = started.map(({ id }) => id);
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain(
      fill(texts.programsAlreadyRunOnWhich, `${one} ("edit a"), ${two} (lua)`),
    );
    expect(refused.text).toContain(`cancel-job ${JSON.stringify({ jobId: one })}`);
    const code = await call(registry, "exec-lua", { computerId: 1, code: "a", waitMs: 0 });
    expect(code.structuredContent).toMatchObject({ state: "running" });
    expect(requests.filter(({ method }) => method === "run-program")).toHaveLength(2);
  });

  it("make room when one ends", async () => {
    const { registry, requests, end } = computer(UNREAD, { maxPrograms: 1 });
    await call(registry, "run-program", program);
    const id = requests[0]?.id;
    end.send(JSON.stringify({ type: "response", id, ok: true, result: { returns: [] } }));
    const next = await call(registry, "run-program", { ...program, command: "edit b" });
    expect(next.structuredContent).toMatchObject({ state: "running" });
  });
});

describe("a program that ended badly", () => {
  const side = (name: string, output: number, bundledOutput = 0) => ({
    ...{ side: name, input: 0, output, bundledInput: 0, bundledOutput },
  });
  const sides = [side("back", 15), side("top", 0, 3), side("left", 0)];

  it("is reported with the redstone outputs that are on, by every tool that reports its end", async () => {
    const answers = { ...UNREAD, redstone: { result: { sides } } };
    const methods = { methods: [...METHODS, "redstone"] };
    const { registry, requests, end } = computer(answers, {}, methods);
    await call(registry, "run-program", program);
    const id = requests[0]?.id ?? "";
    end.send(JSON.stringify({ type: "response", id, ok: false, error: "lamp:3: boom" }));
    for (const [name, jobId] of [
      ["get-job", id],
      ["get-job", [id]],
      ["cancel-job", id],
    ] as const) {
      const { text } = await call(registry, name, { jobId });
      expect(text, name).toContain(texts.redstoneOutputsOfThis);
    }
    const failed = computer({ ...answers, "run-program": { ok: false, error: "no" } }, {}, methods);
    const { text } = await call(failed.registry, "run-program", { ...program, waitMs: 1_000 });
    expect(text).toContain(texts.redstoneOutputsOfThis);
  });

  it("is not, where it ended well", async () => {
    const ran = { "run-program": { result: { returns: [] } }, redstone: { result: { sides } } };
    const { registry } = computer(ran, {}, { methods: [...METHODS, "redstone"] });
    const { text } = await call(registry, "run-program", { ...program, waitMs: 1_000 });
    expect(text).not.toContain("Redstone outputs");
  });
});

describe("programs that start at boot", () => {
  const listing = (more: object = {}) => ({
    "boot-programs": { result: { programs: [], off: false, autostart: true, ...more } },
  });

  it("are jobs that say so, and survive a bridge that cancels what it does not know", async () => {
    const programs = [{ id: "boot-1", command: "board", atBoot: true }];
    const { registry } = computer({}, { unknownJobs: "cancel" }, { jobs: ["old"], programs });
    const { text } = await call(registry, "list-jobs");
    expect(text).toMatch(/^boot-1 running on 1 \(Label: bob\), .+, started at boot \| board$/m);
    expect(text).toMatch(/^old running, .+ to stop on/m);
  });

  it("are added once they run, and not when they fail", async () => {
    const ran = { "run-program": { result: { returns: [] } } };
    const good = computer({ ...ran, ...listing() });
    const args = { ...program, atBoot: true, monitor: "top", width: 20, waitMs: 1_000 };
    const added = await call(good.registry, "run-program", args);
    expect(added.text).toContain(texts.itStartsAtEveryBoot);
    expect(good.requests.at(-1)).toMatchObject({
      method: "boot-programs",
      params: { add: { command: "edit a", monitor: "top", width: 20 } },
    });
    const failed = { "run-program": { ok: false, error: "no", result: { returns: [] } } };
    const bad = computer({ ...failed, ...listing() });
    const { text } = await call(bad.registry, "run-program", {
      ...program,
      atBoot: true,
      waitMs: 1_000,
    });
    expect(text).toContain(texts.itFailedSoItWas);
    expect(bad.requests.map(({ method }) => method)).not.toContain("boot-programs");
  });

  it("are listed and removed with the same tool, which says what is in the way", async () => {
    const programs = [{ command: "board", monitor: "top", job: "boot-1" }];
    const { registry } = computer(
      listing({ programs, off: true, autostart: false, removed: true }),
    );
    const listed = await call(registry, "run-program", { computerId: 1, atBoot: true });
    expect(listed.text).toContain('"board" on the monitor top, running as job boot-1');
    expect(listed.text).toContain(texts.theyAreSwitchedOff);
    expect(listed.text).toContain(texts.mcpComputerItselfDoesNot);
    const args = { computerId: 1, command: "board", atBoot: false };
    const removed = await call(registry, "run-program", args);
    expect(removed.text).toContain(texts.itStillRunsAsJob);
    const none = computer(listing({ removed: false }));
    const missing = await call(none.registry, "run-program", args);
    expect(missing.isError).toBe(true);
    expect(missing.text).toContain(texts.boardDoesNotStart);
    expect((await call(none.registry, "run-program", { computerId: 1 })).text).toContain(
      "run-program needs a command.",
    );
  });
});

describe("what players run", () => {
  it("is named by list-jobs and list-computers, as far as the computer knows", async () => {
    const about = { "about-computer": { result: { tabs: ["worm"], prompt: "quarry 3" } } };
    const { registry } = computer(about);
    for (const name of ["list-jobs", "list-computers"]) {
      const { text } = await call(registry, name);
      expect(text).toContain('worm (a tab), "quarry 3" (at the prompt)');
    }
    const jobs = await call(registry, "list-jobs", { computerId: 1 });
    expect(jobs.text).toContain(texts.noJobsStartedBy);
    expect(jobs.structuredContent).toMatchObject({ others: [{ computerId: 1 }] });
  });

  it("is said to be unknown where the computer cannot know it", async () => {
    const { registry } = computer({ "about-computer": { result: {} } });
    const { text, structuredContent } = await call(registry, "list-jobs");
    expect(text).toContain(fill(texts.whatThePlayerRunsIs, "1 (Label: bob)"));
    expect(structuredContent).toMatchObject({ others: [{ computerId: 1, programs: null }] });
  });
});

describe("the player's own screen", () => {
  it.each([
    ["read-screen", {}, "no program of run-program is running here, and ..."],
    ["send-input", { steps: [{ text: "x" }] }, "no prompt is shared on this computer, so ..."],
    ["send-input", { steps: [{ text: "x" }] }, "send-input needs params.job, a string"],
  ])("says for %s how it is shared when it is not", async (name, more, error) => {
    const { registry } = computer({ [name]: { ok: false, error } });
    const { text, isError } = await call(registry, name, { computerId: 1, ...more });
    expect(isError).toBe(true);
    expect(text).toContain(texts.thePlayersOwnScreenOf);
    expect(text).toContain("`mcp-computer share`");
    expect(text).toContain("`set mcp_computer.share true`");
  });
});

describe("a monitor", () => {
  it.each([
    [true, texts.whatOtherComputersDraw],
    [false, "Nothing is known of it before 2026-11-18T18:02:00.000Z"],
  ])("is shown with what is not known of it (cleared: %s)", async (complete, said) => {
    const since = Date.parse("2026-11-18T18:02:00Z");
    const { registry, requests } = computer({
      "read-screen": { result: { screen: SCREEN, since, complete } },
    });
    const { text, structuredContent } = await call(registry, "read-screen", {
      computerId: 1,
      monitor: "top",
    });
    expect(text).toContain(texts.whatComputerLabelBob);
    expect(text).toContain(said);
    expect(text).toMatch(/is not seen\.\nScreen 2x1/);
    expect(text).toContain("1|ok");
    expect(structuredContent).toMatchObject({ jobId: null, screen: { width: 2 } });
    expect(requests[0]).toMatchObject({ params: { job: "monitor:top" } });
  });

  it("needs the computer that draws on it", async () => {
    const { registry } = computer();
    const { text } = await call(registry, "read-screen", { monitor: "top" });
    expect(text).toContain(texts.readScreenNeedsTheComputer);
  });
});

describe("a file that runs at boot", () => {
  it.each([
    ["/startup.lua", true],
    ["/startup", true],
    ["/startup/board.lua", true],
    ["/startup/zz-mcp-computer.lua", false],
    ["/startups.lua", false],
  ])("%s is warned of: %s", async (path, warned) => {
    const { registry } = computer({
      "write-file": { result: { path, created: true, size: 1, hash: "h" } },
    });
    const { text } = await call(registry, "write-file", { computerId: 1, path, content: "x" });
    expect(text.includes(texts.thisRunsAtEveryBoot)).toBe(warned);
  });
});

describe("list-offered-tools", () => {
  const EXAMPLE = "return {\n  description = ";

  it("shows a complete file when no tools are offered or one cannot be used", async () => {
    const { registry, end } = computer();
    expect((await call(registry, "list-offered-tools")).text).toContain(EXAMPLE);
    const tools = [{ name: "door", inputSchema: { type: "object" } }];
    end.send(JSON.stringify({ type: "tools", tools }));
    expect((await call(registry, "list-offered-tools")).text).not.toContain(EXAMPLE);
    const broken = [{ file: "/mcp-tools/gate.lua", problem: "it returned nothing" }];
    end.send(JSON.stringify({ type: "tools", tools, broken }));
    const { text } = await call(registry, "list-offered-tools");
    expect(text).toContain("it returned nothing");
    expect(text).toContain(EXAMPLE);
  });
});
