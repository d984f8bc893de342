import { describe, expect, it } from "vitest";
import { texts } from "../../../../../vitest.texts.js";
import { call, createRegistry, link, linkRaw } from "../../harness.js";

describe("probe-computers", () => {
  it("says when no computer is linked", async () => {
    const result = await call(createRegistry(), "probe-computers");
    expect(result.text).toBe("No computers connected.");
    expect(result.isError).toBeUndefined();
  });

  it("gives one line per computer, by id, those first that did not answer", async () => {
    const registry = createRegistry();
    linkRaw(registry, { computerId: 14, computerLabel: "farm-turtle" });
    link(registry, { computerId: 12, label: "base-turtle" });
    linkRaw(registry, { computerId: 9 }, ({ id }, send) =>
      send({ type: "response", id, ok: false, error: "broken\nfirmware" }),
    );
    link(registry, { computerId: 100, label: "last", protocol: 1 });
    const result = await call(registry, "probe-computers");
    expect(result.text).toBe(
      [
        'error from 9 (Label: null): "broken\\nfirmware"',
        "timeout from 14 (Label: farm-turtle)",
        "pong from 12 (Label: base-turtle)",
        "pong from 100 (Label: last)",
      ].join("\n"),
    );
    expect(result.structuredContent).toEqual({
      computers: [
        { computerId: 9, label: null, status: "error", reason: "broken\nfirmware" },
        { computerId: 12, label: "base-turtle", status: "pong" },
        { computerId: 14, label: "farm-turtle", status: "timeout" },
        { computerId: 100, label: "last", status: "pong" },
      ],
    });
  });

  it("accepts the computer's own pong only in the expected form", async () => {
    const answers: [unknown, string][] = [
      ["pong from 1 (Label: renamed)", "pong from 1 (Label: renamed)"],
      ["pong from 2 (Label: x)", "pong from 1 (Label: given)"],
      ["I am root\npong from 1 (Label: x)", "pong from 1 (Label: given)"],
      [
        "pong from 1 (Label: a)\npong from 7 (Label: b)",
        'pong from 1 (Label: "a) pong from 7 (Label: b")',
      ],
      [undefined, "pong from 1 (Label: given)"],
      [{ a: 1 }, "pong from 1 (Label: given)"],
    ];
    for (const [result, line] of answers) {
      const registry = createRegistry();
      linkRaw(registry, { computerId: 1, computerLabel: "given" }, ({ id }, send) =>
        send({ type: "response", id, ok: true, result }),
      );
      expect((await call(registry, "probe-computers")).text).toBe(line);
    }
  });

  it("reports a link that drops meanwhile", async () => {
    const registry = createRegistry();
    const end = linkRaw(registry, { computerId: 9 }, () => end.drop());
    expect((await call(registry, "probe-computers")).text).toBe(texts.errorFromLabelNullPing);
  });

  it("probes all computers at once", async () => {
    const registry = createRegistry();
    const answers: (() => void)[] = [];
    for (let computerId = 0; computerId < 20; computerId++) {
      linkRaw(registry, { computerId }, ({ id }, send) => {
        answers.push(() => send({ type: "response", id, ok: true, result: "pong" }));
        if (answers.length === 20) for (const answer of answers) answer();
      });
    }
    const { text } = await call(registry, "probe-computers");
    expect(text.match(/^pong from/gm)).toHaveLength(20);
  });
});

describe("list-computers", () => {
  it("says how to link a computer when none is", async () => {
    const { text } = await call(createRegistry(), "list-computers");
    expect(text).toContain("mcp-computer ws://bridge:3001");
  });

  it("shows what is known about each, in text and in structure", async () => {
    const registry = createRegistry();
    linkRaw(registry, {
      computerId: 12,
      computerLabel: "base\u001b[31m-turtle",
      protocol: 2,
      kind: "turtle",
      advanced: true,
      agent: { name: "mcp-computer", version: "1.2.3" },
      host: "ComputerCraft 1.113.1 (Minecraft 1.20.1)",
      instance: "abc",
      world: "survival",
      methods: ["ping", "exec-lua"],
      features: ["cancel"],
    });
    link(registry, { computerId: 3, protocol: 1 });
    const { text, structuredContent } = await call(registry, "list-computers");
    expect(text).toBe(
      [
        "2 computers are linked:",
        texts.labelNullComputerOldAgent,
        texts.labelBaseTurtleAdvancedTurtle,
      ].join("\n"),
    );
    expect(structuredContent).toMatchObject({
      total: 2,
      computers: [
        { computerId: 3, label: null, agent: null, state: "live" },
        { computerId: 12, world: "survival", kind: "turtle", selector: "12" },
      ],
    });
  });

  it("states once what all have in common", async () => {
    const unknown = "unknown: what is attached and which programs it has";
    const registry = createRegistry();
    for (const computerId of [1, 2, 3]) {
      linkRaw(registry, {
        computerId,
        protocol: 2,
        kind: computerId === 2 ? "turtle" : "computer",
        agent: { name: "mcp-computer", version: computerId === 3 ? "0.9.0" : "1.2.3" },
        host: "ComputerCraft 1.113.1 (Minecraft 1.20.1)",
      });
    }
    const { text } = await call(registry, "list-computers");
    expect(text.split("\n")).toEqual([
      '3 computers are linked ("ComputerCraft 1.113.1 (Minecraft 1.20.1)", agent 1.2.3):',
      `1 (Label: null): computer; ${unknown}`,
      `2 (Label: null): turtle; ${unknown}`,
      `3 (Label: null): computer; agent 0.9.0; ${unknown}`,
    ]);
  });

  it("says what a computer is for, and of two with one id how to name each", async () => {
    const registry = createRegistry();
    const about = {
      attached: [
        { kind: "minecraft:chest", count: 3 },
        { kind: "monitor", count: 1, name: "monitor_0", size: "29x12" },
        { kind: "modem", count: 1, name: "back" },
        { kind: "speaker", count: 1 },
      ],
      kinds: 4,
      programs: ["sort", "door/lock"],
      programCount: 9,
      tabs: ["edit"],
      fuel: 80,
    };
    linkRaw(
      registry,
      {
        computerId: 7,
        kind: "turtle",
        protocol: 2,
        instance: "a",
        methods: ["exec-lua", "about-computer"],
      },
      ({ id, method }, send) => {
        if (method === "about-computer") send({ type: "response", id, ok: true, result: about });
      },
    );
    linkRaw(registry, { computerId: 7, protocol: 2, instance: "b", methods: ["about-computer"] });
    await call(registry, "exec-lua", { computerId: "7@a", code: "mine()", waitMs: 0 });
    const { text } = await call(registry, "list-computers");
    expect(text).toMatch(new RegExp(texts.labelNullTurtleComputeridA, "m"));
    expect(text).toMatch(/^7 \(Label: null\): computer; computerId "7@b"/m);
  });

  it("counts running requests", async () => {
    const registry = createRegistry();
    const end = linkRaw(registry, { computerId: 1 });
    const waiting = end.link.request("never", {}, { timeoutMs: 20 }).catch(() => {});
    const { structuredContent } = await call(registry, "list-computers");
    expect(structuredContent).toMatchObject({ computers: [{ runningRequests: 1 }] });
    await waiting;
  });

  it("pages through many", async () => {
    const registry = createRegistry();
    for (let computerId = 0; computerId < 60; computerId++) linkRaw(registry, { computerId });
    const first = await call(registry, "list-computers");
    expect(first.text).toMatch(new RegExp(texts.moreCallListComputers));
    expect(first.text.length).toBeLessThan(12_000);
    const last = await call(registry, "list-computers", { offset: 50 });
    expect(last.text.split("\n")).toHaveLength(11);
    const beyond = await call(registry, "list-computers", { offset: 99 });
    expect(beyond.text).toBe(texts.thereAreOnlyCallList);
  });
});
