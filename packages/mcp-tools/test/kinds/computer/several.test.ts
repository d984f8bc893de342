import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../../vitest.texts.js";
import { call, createRegistry, link, linkRaw, type TestRegistry } from "../../harness.js";

function base(count = 0) {
  const registry = createRegistry();
  const kinds = ["turtle", "turtle", "computer", "pocket"] as const;
  const labels = ["miner-1", "miner-2", "door", "all turtles?"];
  kinds.forEach((kind, index) => {
    answering(registry, { computerId: index + 1, computerLabel: labels[index], kind });
  });
  for (let id = 100; id < 100 + count; id++)
    answering(registry, { computerId: id, kind: "turtle" });
  return registry;
}

function answering(registry: TestRegistry, hello: { computerId: number; [key: string]: unknown }) {
  const ran: string[] = [];
  linkRaw(registry, { protocol: 2, methods: ["exec-lua"], ...hello }, ({ id }, send) => {
    ran.push(id);
    const { computerId } = hello;
    if (computerId === 2) send({ type: "response", id, ok: false, error: "turtle:1: no fuel" });
    else {
      const result = { returns: [{ type: "number", value: computerId }], output: "" };
      send({ type: "response", id, ok: true, result });
    }
  });
  return ran;
}

const run = (registry: TestRegistry, computerId: unknown, more: object = {}) =>
  call(registry, "exec-lua", { computerId, code: "return os.getComputerID()", ...more });

describe("exec-lua on several computers", () => {
  it("runs one job on each of a list, none twice, and sums up", async () => {
    const registry = base();
    const { text, isError } = await run(registry, [1, "door", "1"]);
    expect(isError).toBeUndefined();
    expect(text).toBe(
      [
        "2 of 2 succeeded.",
        "Ran on 1 (Label: miner-1).",
        "Returned: 1",
        "Ran on 3 (Label: door).",
        "Returned: 3",
      ].join("\n"),
    );
    expect(registry.jobs.list()).toHaveLength(2);
  });

  it.each([
    ["all turtles", "1 of 2 succeeded, 1 failed.", true],
    ["ALL", "3 of 4 succeeded, 1 failed.", true],
    ["all computers", "1 of 1 succeeded.", undefined],
    ["all pocket computers", "1 of 1 succeeded.", undefined],
    ["miner-*", "1 of 2 succeeded, 1 failed.", true],
    ["all turtles?", 'Ran on 4 (Label: "all turtles?").', undefined],
  ])("knows the group %j", async (group, head, failed) => {
    const { text, isError } = await run(base(), group);
    expect(text.split("\n")[0]).toBe(head);
    expect(isError).toBe(failed);
  });

  it("says why each failed, and lets the others run", async () => {
    const { text, structuredContent } = await run(base(), "all turtles");
    expect(text).toContain('Failed on 2 (Label: miner-2): "turtle:1: no fuel"');
    expect(structuredContent).toMatchObject({
      ok: false,
      computers: [
        { computerId: 1, ok: true },
        { computerId: 2, ok: false },
      ],
    });
  });

  it("runs nowhere when one of a list is not linked, or a group is empty", async () => {
    const registry = base();
    const missing = await run(registry, [1, 77]);
    expect(missing.isError).toBe(true);
    expect(missing.text).toContain("Computer 77 is not linked.");
    const empty = await run(registry, "all command computers");
    expect(empty.text).toContain(texts.noLinkedComputerMatches);
    expect(registry.jobs.list()).toHaveLength(0);
  });

  it.each(["constructor", "__proto__"])("treats %s as a label like any other", async (label) => {
    const { text } = await run(base(), label);
    expect(text).toContain(fill(texts.noLinkedComputerHasTheLabel, label));
  });

  it("shows a group that is larger than expected before it runs anything", async () => {
    const registry = base(8);
    const first = await run(registry, "all turtles");
    expect(first.text).toContain(texts.nothingRanThisWouldRun);
    expect(first.text).toContain(texts.callAgainWithDryrun);
    expect(registry.jobs.list()).toHaveLength(0);
    const second = await run(registry, "all turtles", { dryRun: false });
    expect(second.text).toContain("9 of 10 succeeded, 1 failed.");
  });

  it("with dryRun only lists the computers it would run on", async () => {
    const registry = base();
    expect((await run(registry, [1, 3], { dryRun: true })).text).toContain(
      texts.nothingRanThisWouldRunOn,
    );
    expect((await run(registry, "door", { dryRun: true })).text).toContain("1 computer:\n3");
    expect(registry.jobs.list()).toHaveLength(0);
  });

  it("says which still run, with their job ids", async () => {
    const registry = base();
    linkRaw(registry, { computerId: 9, protocol: 2, methods: ["exec-lua"] });
    const { text, isError } = await run(registry, [1, 9], { waitMs: 20 });
    expect(isError).toBeUndefined();
    expect(text).toContain("1 of 2 succeeded, 1 still running.");
    expect(text).toMatch(/Still running on 9 \(Label: null\) as job \S+/);
  });

  it("refuses a group that is too large, and stays short", async () => {
    const registry = base(70);
    const { text, isError } = await run(registry, "all turtles", { dryRun: false });
    expect(isError).toBe(true);
    expect(text).toContain(texts.matchesComputersButOneCall);
    const list = await run(
      registry,
      Array.from({ length: 60 }, (_, n) => 100 + n),
    );
    expect(list.text).toContain("60 of 60 succeeded.");
    expect(list.text.length).toBeLessThan(12_000);
  });
});

describe("turtle-status of several", () => {
  it("shows each, and names those that could not be asked", async () => {
    const registry = createRegistry();
    const status = { fuel: 5, selected: 1, slots: [], running: false, certain: false };
    for (const computerId of [1, 2]) {
      linkRaw(
        registry,
        { computerId, kind: "turtle", protocol: 2, methods: ["turtle-status"] },
        ({ id }, send) => send({ type: "response", id, ok: true, result: status }),
      );
    }
    link(registry, { computerId: 3, label: "door" });
    linkRaw(registry, { computerId: 4, kind: "turtle", protocol: 2, methods: ["ping"] });
    const all = await call(registry, "turtle-status", { computerId: "all" });
    expect(all.text.match(/^Fuel: 5$/gm)).toHaveLength(2);
    expect(all.text).toContain(texts.computerLabelNullCould);
    const list = await call(registry, "turtle-status", { computerId: [1, 3] });
    expect(list.isError).toBe(true);
    expect(list.text).toContain("is not a turtle");
  });
});
