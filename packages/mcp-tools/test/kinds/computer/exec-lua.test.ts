import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../../vitest.texts.js";
import { call, createRegistry, link, linkRaw } from "../../harness.js";

const exec = (
  registry: ReturnType<typeof createRegistry>,
  code: string,
  more: object = {},
  context: object = {},
) => call(registry, "exec-lua", { computerId: 1, code, ...more }, context);

function computer(program: Parameters<typeof link>[1]["programs"], protocol: 1 | 2 = 2) {
  const registry = createRegistry();
  const linked = link(registry, { computerId: 1, label: "bob", protocol, programs: program ?? {} });
  return { registry, ...linked };
}

describe("exec-lua that succeeds", () => {
  it("shows output and values, in text and in structure", async () => {
    const { registry } = computer({
      go: (run) => {
        run.write("one\ntwo\n");
        return [
          { type: "number", value: 2 },
          { type: "string", value: 'say "hi"' },
          { type: "nil" },
          { type: "table", value: { name: "log", slots: [1, 2], "my key": true, 3: "x" } },
          { type: "string", value: "/w==", encoding: "base64" },
          { type: "function", value: "function: 0x1" },
          { type: "number", value: "nan" },
          { type: "table", value: { f: "<function>", me: "<cycle>" }, truncated: true },
        ];
      },
    });
    const result = await exec(registry, "go");
    expect(result.text.split("\n")).toEqual([
      "Ran on 1 (Label: bob).",
      "Output:",
      "| one",
      "| two",
      texts.returnedSayHiNilName +
        "<bytes, base64: /w==>, function: 0x1, nan, { f = <function>, me = <cycle> } (cut)",
      expect.stringMatching(new RegExp(texts.returnedValueWasCutReturnPart)),
    ]);
    expect(result.structuredContent).toMatchObject({
      computerId: 1,
      label: "bob",
      ok: true,
      output: "one\ntwo\n",
    });
    expect(result.isError).toBeUndefined();
  });

  it("says when there is nothing to show", async () => {
    const { registry } = computer({ go: () => [] });
    expect((await exec(registry, "go")).text).toBe(texts.ranOnLabelBobNo);
  });

  it("shows people what cannot be seen, and gives programs every character", async () => {
    const printed = "a\u001b[2J\tb\r\nc\u0000\u202ed\n";
    const value = { "a\u0000b": 1, ab: 2, "a\u202eb": "\r\u{e0041}" };
    const { registry } = computer({
      go: (run) => {
        run.write(printed);
        return [{ type: "table", value }];
      },
    });
    const { text, structuredContent } = await exec(registry, "go");
    expect(text).toContain("| a␛[2J\tb␍\n| c␀�d\n");
    expect(text).toContain(
      'Returned: { ["a\\u0000b"] = 1, ab = 2, ["a\\u202eb"] = "\\r\\udb40\\udc41" }',
    );
    expect(structuredContent).toMatchObject({ output: printed, returns: [{ value }] });
  });

  it("shows values without a value by their type, never as nil", async () => {
    const registry = createRegistry();
    const returns = [
      { type: "table", repr: '{ "a" }' },
      { type: "table" },
      { type: "function", repr: "function: 1f" },
      { type: "string" },
      { type: "nil" },
    ];
    linkRaw(registry, { computerId: 1 }, ({ id }, send) =>
      send({ type: "response", id, ok: true, result: { returns } }),
    );
    expect((await exec(registry, "go")).text).toContain(
      'Returned: <table: "{ \\"a\\" }">, <table>, function: 1f, <string>, nil',
    );
  });

  it("cuts bytes where they can be decoded, however many there are", async () => {
    for (const size of [10, 5_000, 100_000, 300_000]) {
      const bytes = Buffer.alloc(size, "\u00ff\u0001z", "latin1");
      const registry = createRegistry();
      const returns = [{ type: "string", value: bytes.toString("base64"), encoding: "base64" }];
      linkRaw(registry, { computerId: 1, protocol: 2 }, ({ id }, send) =>
        send({ type: "response", id, ok: true, result: { returns } }),
      );
      const { text, structuredContent } = await exec(registry, "go");
      const shown = /Returned: <bytes, base64: ([^>]+)>/.exec(text)?.[1] ?? "";
      const head = Buffer.from(shown, "base64");
      expect(head.equals(bytes.subarray(0, head.length))).toBe(true);
      const rest = Number(/return value:sub\((\d+)\) for the rest/.exec(text)?.[1] ?? size + 1);
      expect(rest).toBe(head.length + 1);
      expect(structuredContent).toMatchObject({
        returns: [{ value: shown, encoding: "base64" }],
      });
    }
  });

  it("stays below what clients show, and says what is missing", async () => {
    const { registry } = computer({
      go: (run) => {
        run.write(`BEGIN${"é".repeat(50_000)}END`);
        return [
          { type: "string", value: "z".repeat(50_000) },
          { type: "number", value: 7 },
        ];
      },
    });
    const result = await exec(registry, "go");
    const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
    expect(bytes(result.text)).toBeLessThan(12_000);
    expect(bytes(result.structuredContent)).toBeLessThan(12_000);
    expect(result.text).toMatch(new RegExp(texts.beginCharactersLeftOut, "s"));
    expect(result.text).toContain(", 7");
    expect(result.structuredContent).toMatchObject({
      returns: [{ truncated: true }, { value: 7 }],
    });
  });

  it.each([
    [40, "{ ... }"],
    [20_000, "the answer cannot be read: nested"],
  ])("survives values that are nested %d deep", async (depth, shown) => {
    const registry = createRegistry();
    const value = `${"[".repeat(depth)}1${"]".repeat(depth)}`;
    const end = linkRaw(registry, { computerId: 1 }, ({ id }) => {
      end.send(
        `{"type":"response","id":"${id}","ok":true,"result":{"returns":[{"type":"table","value":${value}}]}}`,
      );
    });
    const result = await exec(registry, "go");
    expect(result.text).toContain(shown);
    expect(JSON.stringify(result).length).toBeLessThan(12_000);
  });

  it("reads the results of early agents", async () => {
    const registry = createRegistry();
    const results: [unknown, string][] = [
      [{ returns: [2, "x"], output: "" }, 'Returned: 2, "x"'],
      [{ returns: {}, output: "hi" }, "Output:\n| hi"],
      ["plain", 'Returned: "plain"'],
      [undefined, "No output"],
    ];
    let next: unknown;
    linkRaw(registry, { computerId: 1 }, ({ id }, send) =>
      send({ type: "response", id, ok: true, result: next }),
    );
    for (const [result, shown] of results) {
      next = result;
      expect((await exec(registry, "go")).text).toContain(shown);
    }
  });

  it("reports the newest output to a client that wants to know", async () => {
    let finish = () => {};
    const isReported = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { registry } = computer({
      go: async (run) => {
        run.write("digging\nstep 1\n");
        await isReported;
        return [];
      },
    });
    const progress = vi.fn(() => finish());
    await exec(registry, "go", {}, { progress });
    expect(progress.mock.calls).toEqual([["| step 1"]]);
  });

  it("notifies a waiting client regularly that the code still runs", async () => {
    vi.useFakeTimers();
    try {
      const { registry } = computer({ go: () => new Promise(() => {}) });
      const progress = vi.fn();
      const running = exec(registry, "go", { waitMs: 35_000 }, { progress });
      await vi.advanceTimersByTimeAsync(40_000);
      await running;
      expect(progress.mock.calls.length).toBeGreaterThanOrEqual(3);
      expect(progress.mock.calls[0]?.[0]).toMatch(/^still running after \d+ s$/);
      expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("exec-lua that fails", () => {
  it("shows a Lua error with the output until then", async () => {
    const { registry } = computer({
      go: (run) => {
        run.write("before\n");
        throw new Error("exec:1: boom");
      },
    });
    const result = await exec(registry, "go");
    expect(result.isError).toBe(true);
    expect(result.text).toBe(
      [
        'Failed on 1 (Label: bob): "exec:1: boom"',
        "Output:",
        "| before",
        texts.theCodeStoppedThereWhat,
      ].join("\n"),
    );
    expect(result.structuredContent).toMatchObject({
      ok: false,
      output: "before\n",
      error: { code: "lua-error", message: "exec:1: boom" },
    });
  });

  it("explains that no computer with this id is linked", async () => {
    const result = await exec(createRegistry(), "go");
    expect(result.isError).toBe(true);
    expect(result.text).toContain(texts.computerIsNotLinkedNo);
    expect(result.text).toContain("mcp-computer ws://bridge:3001");
  });

  it("asks which of two computers is meant, and uses the answer", async () => {
    const registry = createRegistry();
    for (const world of ["a", "b"]) {
      link(registry, {
        computerId: 1,
        world,
        instance: `i-${world}`,
        programs: { go: () => [{ type: "string", value: world }] },
      });
    }
    const asked = await exec(registry, "go");
    expect(asked.isError).toBe(true);
    expect(asked.text).toContain('"1@i-a" (Label: null; world "a"), "1@i-b"');
    expect((await exec(registry, "go", { computerId: "1@b" })).text).toContain('Returned: "b"');
    expect((await exec(registry, "go", { computerId: "1@i-a" })).text).toContain('Returned: "a"');
  });

  it("keeps the output of code that timed out, and says it was cancelled", async () => {
    const { registry } = computer({
      go: (run) => {
        run.write("so far\n");
        return new Promise((_, reject) => {
          run.signal.addEventListener("abort", () => reject(new Error("Terminated")));
        });
      },
    });
    const result = await exec(registry, "go", { timeoutMs: 30 });
    expect(result.text).toContain(texts.theJobTookLongerThan);
    expect(result.text).toContain("Output:\n| so far");
    expect(result.text).toContain(texts.itWasCancelledIn);
    expect(result.structuredContent).toMatchObject({
      output: "so far\n",
      error: { code: "timed-out" },
    });
  });

  it("says that the code may still run when an old agent times out", async () => {
    const { registry } = computer({ go: () => new Promise(() => {}) }, 1);
    const result = await exec(registry, "go", { timeoutMs: 30 });
    expect(result.text).toContain(texts.theCodeMayStillBe);
  });

  it("says that the code may still run when the cancel is not confirmed", async () => {
    const { registry } = computer({ go: () => new Promise(() => {}) });
    const result = await exec(registry, "go", { timeoutMs: 30 });
    expect(result.text).toContain(texts.hasNotConfirmedThatThe);
  });

  it("keeps the output when an agent that cannot keep jobs drops or is replaced", async () => {
    for (const how of ["drop", "replace"] as const) {
      const registry = createRegistry();
      const linked = link(registry, {
        computerId: 1,
        programs: {
          go: (run) => {
            run.write("half\n");
            if (how === "drop") linked.end.drop();
            else link(registry, { computerId: 1 });
            return new Promise(() => {});
          },
        },
      });
      const result = await exec(registry, "go");
      expect(result.structuredContent).toMatchObject({ output: "half\n", error: { code: "lost" } });
      expect(result.text).toContain(texts.itIsUnknownHowFarItGot);
    }
  });

  it("asks to update an agent that does not know exec-lua", async () => {
    const registry = createRegistry();
    linkRaw(registry, { computerId: 1 }, ({ id }, send) =>
      send({ type: "response", id, ok: false, error: "unknown method" }),
    );
    const result = await exec(registry, "go");
    expect(result.structuredContent).toMatchObject({ error: { code: "unknown-method" } });
    expect(result.text).toContain("update mcp-computer");
  });

  it("is cancelled in the game when the caller gives up", async () => {
    const controller = new AbortController();
    const stopped = vi.fn();
    const { registry } = computer({
      go: (run) => {
        run.signal.addEventListener("abort", stopped);
        queueMicrotask(() => controller.abort());
        return new Promise(() => {});
      },
    });
    await exec(registry, "go", {}, { signal: controller.signal });
    expect(stopped).toHaveBeenCalledOnce();
  });

  it.each([
    [{}, "computerId"],
    [{ computerId: -1, code: "x" }, "computerId"],
    [{ computerId: 1.5, code: "x" }, "computerId"],
    [{ computerId: 1, code: "" }, "code"],
    [{ computerId: 1, code: "x", waitMs: 60_000 }, "waitMs"],
    [{ computerId: 1, code: "x", timeoutMs: 0 }, "timeoutMs"],
    ["nonsense", "must be an object"],
  ])("names what is wrong with the arguments %j", async (args, problem) => {
    const result = await call(createRegistry(), "exec-lua", args);
    expect(result.isError).toBe(true);
    expect(result.text).toContain(problem);
    expect(result.text).toContain("call exec-lua again");
  });
});
