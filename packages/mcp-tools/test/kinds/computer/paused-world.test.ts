import { expect, it, vi } from "vitest";
import { texts } from "../../../../../vitest.texts.js";
import { call, createRegistry, linkRaw } from "../../harness.js";

it("a job that sleeps while no time passes in its world says so, until time passes again", async () => {
  const registry = createRegistry({ heartbeatMs: 20, unresponsiveAfterMs: 5_000 });
  let pausedMs: number | undefined = 42_000;
  let pings = 0;
  linkRaw(registry, { computerId: 1, protocol: 2, methods: ["ping"] }, ({ id, method }, send) => {
    if (method !== "ping") return;
    pings += 1;
    send({ type: "response", id, ok: true, result: "pong", pausedMs });
  });
  await vi.waitFor(() => expect(pings).toBeGreaterThan(0));
  const { text } = await call(registry, "exec-lua", { computerId: 1, code: "sleep(1)", waitMs: 0 });
  expect(text).toContain(texts.noTimeHasPassedIn);
  expect((await call(registry, "list-computers")).text).toContain(texts.itsWorldIsPaused);
  pausedMs = undefined;
  const before = pings;
  await vi.waitFor(() => expect(pings).toBeGreaterThan(before + 1));
  const jobId = registry.jobs.list().at(-1)?.id;
  expect((await call(registry, "get-job", { jobId, waitMs: 0 })).text).not.toContain("No time");
  expect((await call(registry, "list-computers")).text).not.toContain("paused");
});
