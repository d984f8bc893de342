import { describe, expect, it, vi } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { call, createRegistry, link, linkRaw, settings } from "../harness.js";

interface Frame {
  id: string;
  method: string;
}

/** Longer than a busy machine needs to let the test answer. */
const patience = { cancelGraceMs: 20_000 };
const patient = { settings: { ...settings, ...patience } };

async function runningJob(
  hello: { computerId?: number; [field: string]: unknown } = {},
  registry = createRegistry(),
) {
  let request: Frame | undefined;
  const end = linkRaw(
    registry,
    {
      computerId: 1,
      computerLabel: "bob",
      protocol: 2,
      instance: "i",
      features: ["cancel", "output", "chunk", "jobs"],
      ...hello,
    },
    (frame) => {
      request = frame;
    },
  );
  const started = await call(registry, "exec-lua", {
    computerId: hello.computerId ?? 1,
    code: "dig()\nup()",
    waitMs: 0,
  });
  const id = request?.id ?? "";
  let seq = 0;
  return {
    registry,
    end,
    id,
    started,
    print: (text: string) => end.send(JSON.stringify({ type: "output", id, seq: seq++, text })),
    answer: (ok: boolean, more: object = {}) =>
      end.send(JSON.stringify({ type: "response", id, ok, ...more })),
  };
}

describe("code that outlasts its call", () => {
  it("is not an error, but a job that a model knows how to follow and stop", async () => {
    const { started, id } = await runningJob();
    expect(started.isError).toBeUndefined();
    expect(started.text).toBe(
      fill(texts.stillRunningOnLabelBob, id) + fill(texts.followItWithGetJob, id),
    );
    expect(started.structuredContent).toMatchObject({
      jobId: id,
      state: "running",
      ok: true,
      cursor: 0,
    });
  });

  it("says what an old agent cannot do", async () => {
    const { started } = await runningJob({ protocol: 1, features: [] });
    expect(started.text).toContain(texts.outputAppearsOnlyAt);
    expect(started.text).toContain("it cannot be cancelled");
  });

  it("waits when too many run, and says why", async () => {
    const registry = createRegistry({ maxJobs: 1 });
    linkRaw(registry, { computerId: 1 });
    await call(registry, "exec-lua", { computerId: 1, code: "a", waitMs: 0 });
    const second = await call(registry, "exec-lua", { computerId: 1, code: "b", waitMs: 0 });
    expect(second.text).toMatch(new RegExp(texts.waitingOnLabelNullAs));
    expect(second.structuredContent).toMatchObject({ state: "queued" });
  });
});

describe("get-job", () => {
  it("shows output from the cursor on, then the result", async () => {
    const { registry, id, print, answer } = await runningJob();
    print("one\n");
    const first = await call(registry, "get-job", { jobId: id });
    expect(first.text).toContain("Output:\n| one");
    expect(first.structuredContent).toMatchObject({ output: "one\n", cursor: 4, state: "running" });
    print("two\n");
    answer(true, { result: { returns: [{ type: "number", value: 7 }], output: "one\ntwo\n" } });
    const second = await call(registry, "get-job", { jobId: id, cursor: 4 });
    const clock = String.raw`\d\d:\d\d:\d\d`;
    expect(second.text).toMatch(
      new RegExp(
        String.raw`^Ran on 1 \(Label: bob\)\.\nOutput:\n\| two\nReturned: 7\nIt ran \d s, from ${clock} to ${clock}\.$`,
      ),
    );
    expect(second.structuredContent).toMatchObject({ output: "two\n", cursor: 8, state: "done" });
  });

  it("waits for the end, its time, or on request new output", async () => {
    const { registry, id, print, answer } = await runningJob();
    const news = call(registry, "get-job", { jobId: id, waitMs: 50_000, untilOutput: true });
    print("news");
    expect((await news).structuredContent).toMatchObject({ output: "news" });
    const nothing = await call(registry, "get-job", { jobId: id, cursor: 4, waitMs: 20 });
    expect(nothing.structuredContent).toMatchObject({ output: "", cursor: 4, state: "running" });
    expect(nothing.text).toMatch(/\nIt has run \d+ s, /);
    const end = call(registry, "get-job", { jobId: id, cursor: 4, waitMs: 50_000 });
    answer(false, { error: "exec:1: boom\nstack traceback:\n  ..." });
    expect((await end).text).toContain('"exec:1: boom\\nstack traceback:');
  });

  it("waits for several jobs in one call, until all have ended or one has output", async () => {
    const { registry, id, print, answer } = await runningJob();
    const other = await runningJob({ computerId: 2, instance: "j" }, registry);
    const jobId = [id, other.id];
    const news = call(registry, "get-job", { jobId, waitMs: 50_000, untilOutput: true });
    // New output is what comes after the call.
    await new Promise(setImmediate);
    print("from the first\n");
    expect((await news).text).toContain("from the first");
    const both = call(registry, "get-job", { jobId, waitMs: 50_000 });
    answer(true, { result: { returns: [{ type: "number", value: 7 }], output: "" } });
    other.answer(false, { error: "boom" });
    const { text, isError, structuredContent } = await both;
    expect(isError).toBeUndefined();
    expect(text).toMatch(new RegExp(texts.jobsEndedOfThem));
    expect(text).toContain("boom");
    expect(text.match(/It ran \d+ s, from \d\d:\d\d:\d\d to \d\d:\d\d:\d\d\./g)).toHaveLength(2);
    expect(structuredContent).toMatchObject({ jobs: [{ state: "done" }, { state: "failed" }] });
    const unknown = await call(registry, "get-job", { jobId: [id, "nosuch"] });
    expect(unknown.isError).toBe(true);
  });

  it("collects output until the end unless the first of it is asked for", async () => {
    const { registry, id, print, answer } = await runningJob();
    const following = call(registry, "get-job", { jobId: id, waitMs: 50_000 });
    for (const line of ["one\n", "two\n", "three\n"]) print(line);
    answer(true, { result: { returns: [], output: "" } });
    expect((await following).structuredContent).toMatchObject({
      state: "done",
      output: "one\ntwo\nthree\n",
    });
  });

  it("lets several clients follow one job", async () => {
    const { registry, id, print } = await runningJob();
    const followers = [0, 0].map((cursor) =>
      call(registry, "get-job", { jobId: id, cursor, waitMs: 50_000, untilOutput: true }),
    );
    print("for all");
    for (const follower of followers) {
      expect((await follower).structuredContent).toMatchObject({ output: "for all" });
    }
  });

  it("pages through long output, and says what is no longer kept", async () => {
    const registry = createRegistry({ maxOutputLength: 50_000 });
    const all = Array.from({ length: 20_000 }, (_, i) => `${i}é\n`).join("");
    link(registry, {
      computerId: 1,
      programs: {
        go: (run) => {
          run.write(all);
          return [];
        },
      },
    });
    const done = await call(registry, "exec-lua", { computerId: 1, code: "go" });
    const { jobId } = done.structuredContent as { jobId: string };
    expect(done.text).toContain(fill(texts.allOfTheOutput, jobId));
    let cursor = 0;
    let read = "";
    for (;;) {
      const page = await call(registry, "get-job", { jobId, cursor });
      expect(Buffer.byteLength(page.text)).toBeLessThan(12_000);
      if (cursor === 0) expect(page.text).toMatch(new RegExp(texts.charactersBeforeThisAre));
      const { output, cursor: next } = page.structuredContent as { output: string; cursor: number };
      read += output;
      if (next === cursor) break;
      cursor = next;
    }
    expect(read).toBe(all.slice(-50_000));
  });

  it("is not the job: giving it up stops nothing", async () => {
    const { registry, id, end } = await runningJob();
    const sent = vi.spyOn(end.link, "send");
    const controller = new AbortController();
    const waiting = call(
      registry,
      "get-job",
      { jobId: id, waitMs: 50_000 },
      { signal: controller.signal },
    );
    controller.abort();
    await waiting;
    expect(sent).not.toHaveBeenCalled();
    expect(registry.jobs.get(id)?.status.stopping).toBeUndefined();
  });

  it("says that the link is down while it is", async () => {
    const { registry, id, end } = await runningJob();
    end.drop();
    const result = await call(registry, "get-job", { jobId: id });
    expect(result.isError).toBeUndefined();
    expect(result.text).toContain(texts.theLinkToThe);
  });

  it("explains an unknown job", async () => {
    const result = await call(createRegistry(), "get-job", { jobId: "nope\n" });
    expect(result.isError).toBe(true);
    expect(result.text).toContain(texts.thereIsNoJobNope);
    expect(result.text).toContain("list-jobs");
  });
});

describe("cancel-job", () => {
  it("waits until the game confirms", async () => {
    const { registry, id, answer } = await runningJob({}, createRegistry(patience));
    const cancelling = call(registry, "cancel-job", { jobId: id }, patient);
    await vi.waitFor(() => expect(registry.jobs.get(id)?.status.stopping).toBeDefined());
    answer(false, { error: "cancelled", result: { output: "half" } });
    const result = await cancelling;
    expect(result.isError).toBeUndefined();
    expect(result.text).toMatch(/^Cancelled on /);
    expect(result.structuredContent).toMatchObject({ state: "cancelled", output: "half" });
  });

  it("stops several in one call, and none if one of them is unknown", async () => {
    const { registry, id, answer } = await runningJob();
    const other = await runningJob({ computerId: 2, instance: "j" }, registry);
    const unknown = await call(registry, "cancel-job", { jobId: [id, "nosuch"] });
    expect(unknown.isError).toBe(true);
    const marked = async () =>
      (await call(registry, "list-jobs")).text.match(/to stop on/g)?.length ?? 0;
    expect(await marked()).toBe(0);
    const stopping = call(registry, "cancel-job", { jobId: [id, other.id, id] });
    await vi.waitFor(async () => expect(await marked()).toBe(2));
    answer(false, { error: "cancelled" });
    other.answer(false, { error: "cancelled" });
    const { text, isError, structuredContent } = await stopping;
    expect(isError).toBeUndefined();
    expect(text).toMatch(/^2 jobs: 2 ended, 0 of them/);
    expect(structuredContent).toMatchObject({
      jobs: [{ state: "cancelled" }, { state: "cancelled" }],
    });
  });

  it("reports when the game does not confirm, cannot, or is away", async () => {
    const deaf = await runningJob();
    const unconfirmed = await call(deaf.registry, "cancel-job", { jobId: deaf.id });
    expect(unconfirmed.text).toContain(texts.hasNotConfirmedItWithin);
    const old = await runningJob({ protocol: 1, features: [] });
    const impossible = await call(old.registry, "cancel-job", { jobId: old.id });
    expect(impossible.isError).toBe(true);
    expect(impossible.text).toContain(texts.cannotBeCancelledItsAgent);
    const away = await runningJob();
    away.end.drop();
    const later = await call(away.registry, "cancel-job", { jobId: away.id });
    expect(later.text).toContain(texts.itWillBeToldTo);
  });

  it("loses the race with the result gracefully", async () => {
    const { registry, id, answer } = await runningJob({}, createRegistry(patience));
    const cancelling = call(registry, "cancel-job", { jobId: id }, patient);
    await vi.waitFor(() => expect(registry.jobs.get(id)?.status.stopping).toBeDefined());
    answer(true, { result: { returns: [{ type: "number", value: 1 }] } });
    expect((await cancelling).text).toBe("Ran on 1 (Label: bob).\nReturned: 1");
    expect((await call(registry, "cancel-job", { jobId: id })).text).toMatch(
      /^It had already ended/,
    );
  });
});

describe("list-jobs", () => {
  it("lists by computer and state, newest first, with shortened code", async () => {
    const { registry, id, answer } = await runningJob();
    expect((await call(registry, "list-jobs")).text.replace(/\d\d:\d\d:\d\d/, "CLOCK")).toBe(
      `${id} running on 1 (Label: bob), 0 s, from CLOCK | dig() up()`,
    );
    expect((await call(registry, "list-jobs", { state: "done" })).text).toBe("No jobs.");
    answer(true);
    expect((await call(registry, "list-jobs", { state: "done" })).text).toContain(id);
    linkRaw(registry, { computerId: 2, computerLabel: "eve" });
    expect((await call(registry, "list-jobs", { computerId: "eve" })).text).toBe("No jobs.");
    expect((await call(registry, "list-jobs", { computerId: "bob" })).text).toContain(id);
    for (let i = 0; i < 30; i++) {
      await call(registry, "exec-lua", { computerId: 1, code: "x".repeat(500), waitMs: 0 });
    }
    const many = await call(registry, "list-jobs");
    expect(many.text).toMatch(new RegExp(texts.moreCallListJobs));
    expect(many.text.length).toBeLessThan(12_000);
  });

  it("names the candidates when a computer is unknown or several are meant", async () => {
    const { registry, end, id } = await runningJob();
    const unknown = await call(registry, "list-jobs", { computerId: "bo" });
    expect(unknown.isError).toBe(true);
    expect(unknown.text).toContain(texts.noLinkedComputerHasThe);
    linkRaw(registry, { computerId: 1, protocol: 2, instance: "other" });
    await call(registry, "exec-lua", { computerId: "1@other", code: "turnLeft()", waitMs: 0 });
    const several = await call(registry, "list-jobs", { computerId: 1 });
    expect(several.isError).toBe(true);
    expect(several.text).toMatch(/"1" matches 2 computers: "1@i" .*"1@other"/);
    const one = await call(registry, "list-jobs", { computerId: "1@i" });
    expect(one.text).toContain(id);
    expect(one.text).not.toContain("turnLeft()");
    end.drop();
    expect((await call(registry, "list-jobs", { computerId: "bob" })).text).toContain(id);
  });

  it("shows jobs of an earlier run as adopted", async () => {
    const registry = createRegistry();
    linkRaw(registry, {
      computerId: 1,
      protocol: 2,
      instance: "i",
      features: ["jobs", "cancel", "output"],
      jobs: ["old-1"],
    });
    const { text, structuredContent } = await call(registry, "list-jobs");
    expect(text.replace(/\d\d:\d\d:\d\d/, "CLOCK")).toContain(texts.oldRunningOnLabelNull);
    expect(structuredContent).toMatchObject({ jobs: [{ adopted: true, code: null }] });
  });
});

describe("a lost job", () => {
  const again = {
    computerId: 1,
    protocol: 2,
    instance: "i",
    features: ["cancel", "output", "jobs"],
  };
  const read = (registry: Parameters<typeof call>[0], jobId: string) =>
    call(registry, "get-job", { jobId });

  it("that its computer came back without is not reported as running", async () => {
    const { registry, end, id } = await runningJob();
    end.drop();
    linkRaw(registry, again);
    const { text, isError } = await read(registry, id);
    expect(isError).toBe(true);
    expect(text).toContain(texts.theJobIsLostThe);
    expect(text).toContain(texts.itIsUnknownHowFar);
    expect(text).not.toMatch(new RegExp(texts.mayStillBeRunning));
  });

  it("that its computer no longer knows is not reported as running", async () => {
    const { registry, id, print, answer } = await runningJob({}, createRegistry(patience));
    print("begun\n");
    const cancelled = call(registry, "cancel-job", { jobId: id }, patient);
    await vi.waitFor(() => expect(registry.jobs.get(id)?.status.stopping).toBe("cancelled"));
    answer(false, { error: "unknown request" });
    for (const { text } of [await cancelled, await read(registry, id)]) {
      expect(text).toContain(texts.theOtherSideNoLonger);
      expect(text).not.toMatch(new RegExp(texts.mayStillBeRunning));
    }
  });

  it("whose computer stays away may still run, and is not reported as ended", async () => {
    vi.useFakeTimers();
    try {
      const { registry, end, id } = await runningJob();
      end.drop();
      vi.advanceTimersByTime(registry.limits.lostAfterMs);
      const { text } = await read(registry, id);
      expect(text).toContain("stayed away");
      expect(text).toContain(texts.itMayStillBeRunning);
      expect(text).not.toMatch(/is over|has happened/);
    } finally {
      vi.useRealTimers();
    }
  });

  it("of an agent that keeps no jobs says why, and that its code may still be running", async () => {
    const { registry, end, id } = await runningJob({ protocol: 1, features: [] });
    end.drop();
    const { text } = await read(registry, id);
    expect(text).toContain(texts.theJobIsLostTheLink + texts.itIsUnknownHowFarIt);
    expect(text).not.toContain("keeps running");
  });

  it("that was answered after all has ended, and is not reported as running", async () => {
    const { registry, end, id } = await runningJob();
    end.drop();
    const back = linkRaw(registry, again);
    const result = { returns: [{ type: "number", value: 7 }] };
    back.send(JSON.stringify({ type: "response", id, ok: true, result }));
    const { text } = await read(registry, id);
    expect(text).toContain("The computer answered after all");
    expect(text).toContain("Returned: 7");
    expect(text).toContain(texts.itIsOverWhatIt);
    expect(text).not.toMatch(new RegExp(texts.mayStillBeRunningKeepsRunning));
  });

  it("that was never sent ran nowhere", async () => {
    const { registry, end } = await runningJob();
    vi.useFakeTimers();
    try {
      for (let n = 0; n < 40; n++) {
        await call(registry, "exec-lua", { computerId: 1, code: "next()", waitMs: 0 });
      }
      const queued = registry.jobs.list().find(({ state }) => state === "queued");
      end.drop();
      const waiting = await read(registry, queued?.id ?? "");
      expect(waiting.text).toContain(texts.theJobIsSentOnce);
      expect(waiting.text).not.toContain("keeps running");
      vi.advanceTimersByTime(registry.limits.lostAfterMs);
      const { text } = await read(registry, queued?.id ?? "");
      expect(text).toContain(texts.itWasNeverSentSo);
      expect(text).not.toMatch(new RegExp(texts.mayStillBeRunningKeeps));
    } finally {
      vi.useRealTimers();
    }
  });
});
