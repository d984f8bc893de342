import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { game } from "./screen-game.js";

describe("acting on a program", () => {
  it("clicks, and sends events with all their arguments", async () => {
    const { call, startBlank } = await game({
      files: {
        "/show.lua":
          "while true do local e = table.pack(os.pullEvent()) if e[1] ~= 'timer' then for i = 1, e.n do e[i] = type(e[i]) == 'table' and #e[i] .. ' items' or tostring(e[i]) end print(table.concat(e, ' ')) end end",
      },
    });
    const jobId = await startBlank("show");
    const lines = async (name: string, args: object) => {
      const { facts, text } = await call(name, { jobId, ...args });
      if (facts === undefined) throw new Error(text);
      return (facts.screen as { lines: string[] }).lines.slice(-2);
    };
    expect(
      await lines("send-input", { steps: [{ click: { x: 51, y: 19, button: "right" } }] }),
    ).toEqual(["mouse_click 2 51 19", "mouse_up 2 51 19"]);
    expect(
      (
        await lines("send-input", {
          steps: [{ event: "a", args: ["x", null, 1.5, true, [1, 2], null] }],
        })
      )[1],
    ).toBe("a x nil 1.5 true 2 items nil");
    expect((await lines("send-input", { steps: [{ event: "bare" }] }))[1]).toBe("bare");
    expect((await lines("send-input", { steps: [{ key: "1" }] }))[1]).toMatch(/^key_up \d+$/);
    const ended = await call("send-input", { jobId, steps: [{ event: "terminate" }] });
    expect(ended.facts).toMatchObject({ ended: true });
    expect((await call("get-job", { jobId })).text).toContain("Terminated");
  });

  it("says what cannot be done", async () => {
    const { call, start } = await game();
    const jobId = await start("notes /notes.txt");
    const lua = await call("exec-lua", { computerId: 12, code: "sleep(1000)", waitMs: 0 });
    const refusal = async (name: string, args: Record<string, unknown>) => {
      const { isError, text } = await call(name, args);
      expect(isError).toBe(true);
      return text;
    };
    const cases: [string, Record<string, unknown>, string][] = [
      [
        "send-input",
        { jobId, steps: [{ key: "enter" }, { key: "bogus" }] },
        "there is no key named bogus",
      ],
      ["send-input", { jobId, steps: [{ key: "esc" }] }, "the game keeps Escape for itself"],
      ["send-input", { jobId, steps: [{ key: "+" }] }, "press shift+equals"],
      ["send-input", { jobId, steps: [] }, "`steps` must not be empty"],
      [
        "send-input",
        { jobId, steps: [{ click: { x: 52, y: 1 } }] },
        "52,1 is outside the screen, which is 51x19",
      ],
      [
        "send-input",
        { jobId, steps: [{ text: "\u{1f600} ok \u4f60" }] },
        "cannot be typed in ComputerCraft",
      ],
      ["send-input", { jobId: "nope", steps: [{ text: "x" }] }, 'There is no job "nope"'],
      [
        "send-input",
        { jobId: lua.facts.jobId, steps: [{ text: "x" }] },
        "has no screen: it is a job of exec-lua",
      ],
      ["read-screen", { jobId, fromLine: 20 }, "has 19 lines; there is no line 20"],
      ["read-screen", {}, "needs a jobId or a computerId"],
      ["read-screen", { computerId: 99 }, "list-computers"],
      [
        "send-input",
        { jobId, steps: [{ event: "x", args: ["y".repeat(20_000)] }] },
        "larger than 16384",
      ],
      ["run-program", { computerId: 99, command: "ls" }, "list-computers"],
    ];
    for (const [name, args, message] of cases) expect(await refusal(name, args)).toContain(message);
    expect((await call("read-screen", { jobId })).text).toContain("2||                  |");
    await call("cancel-job", { jobId });
    expect(await refusal("send-input", { jobId, steps: [{ text: "x" }] })).toContain(
      "has ended (cancelled)",
    );
    const { text } = await call("read-screen", { computerId: 12 });
    expect(text).toContain(`read-screen {"jobId":"${jobId}"}`);
  });

  it("says that other screens cannot be read", async () => {
    const { call } = await game();
    const { isError, text } = await call("read-screen", { computerId: 12 });
    expect(isError).toBe(true);
    expect(text).toContain(texts.isNotSharedAndNo);
    expect(text).toContain("mcp-computer share");
  });
});
