import type { PlacedComputerOptions } from "@ccbridge/cc-host";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { forComputer, isLinked, linkGameComputer, placeComputer, startWorld } from "./helpers.js";

async function game(options: PlacedComputerOptions = {}, autostart = false) {
  const bridge = await startTestBridge();
  const world = await startWorld();
  const computer = autostart
    ? await placeComputer(world, options)
    : await linkGameComputer(bridge, world, options);
  if (autostart) {
    computer.type(`mcp-computer ${bridge.linkUrl} --autostart\n`);
    await computer.until(() => isLinked(bridge, 12));
  }
  const client = await connectClient(bridge.mcpUrl);
  const call = (name: string, args: Record<string, unknown> = {}) =>
    callTool(client, name, forComputer(name, args));
  return { bridge, world, computer, call };
}

describe("set-label", () => {
  it("names a computer, and list-computers knows at once", async () => {
    const { bridge, computer, call } = await game();
    const link = bridge.computers.find(12);
    const { text, structuredContent } = await call("set-label", { label: "miner" });
    expect(text).toBe("Computer 12 (Label: base-turtle) is now 12 (Label: miner).");
    expect(structuredContent).toEqual({ computerId: 12, label: "miner", before: "base-turtle" });
    expect(computer.label).toBe("miner");
    expect((await call("list-computers")).text).toContain("12 (Label: miner)");
    expect(bridge.computers.find(12)).toBe(link);
    expect((await call("set-label", { label: "miner" })).text).toContain(
      "is now 12 (Label: miner)",
    );
  });

  it("removes a label with an empty text", async () => {
    const { computer, call } = await game();
    expect((await call("set-label", { label: "" })).structuredContent).toMatchObject({
      label: null,
    });
    expect(computer.label).toBeUndefined();
    expect((await call("list-computers")).text).toContain("12 (Label: null)");
  });

  it("writes umlauts as the game shows them", async () => {
    const { computer, call } = await game();
    const { structuredContent } = await call("set-label", { label: "Gräber" });
    expect(structuredContent).toMatchObject({ label: "Gräber" });
    expect(computer.label).toBe("Gr\u00e4ber");
  });

  it.each([
    [{ label: "x".repeat(33) }, "a label can have at most 32 characters, but this one has 33"],
    [{ label: "鉱夫" }, "the game cannot show some characters in this label"],
    [{ label: "x".repeat(65) }, "Correct this and call"],
    [{}, "Correct this and call"],
  ])("refuses %j", async (args, problem) => {
    const { computer, call } = await game();
    const { text, isError } = await call("set-label", args);
    expect(isError).toBe(true);
    expect(text).toContain(problem);
    expect(computer.label).toBe("base-turtle");
  });

  it("reports a label that code or a player has set", async () => {
    const { bridge, computer, call } = await game();
    await call("exec-lua", { code: 'os.setComputerLabel("by code")' });
    await computer.until(() => bridge.computers.find(12).provider.label === "by code");
  });
});

describe("power-computer: reboot", () => {
  it.each([
    ["an old computer", { version: "1.100.0" }],
    ["an advanced turtle", { kind: "turtle", advanced: true }],
  ] as const)("answers, reboots %s and finds it linked again", async (_, options) => {
    const { bridge, computer, call } = await game(options, true);
    const before = bridge.computers.find(12);
    const { boots } = computer.stats;
    const { text, structuredContent, isError } = await call("power-computer", { action: "reboot" });
    expect(isError, text).toBeUndefined();
    expect(text).toMatch(new RegExp(texts.computerLabelBaseTurtleRebooted));
    expect(structuredContent).toMatchObject({ state: "back", autostart: true, lostJobs: 0 });
    expect(computer.stats.boots).toBe(boots + 1);
    expect(bridge.computers.find(12)).not.toBe(before);
    expect((await call("exec-lua", { code: "1 + 1" })).text).toContain("Returned: 2");
  });

  it("reports that it is not back, and how to get it back", async () => {
    const { bridge, computer, call } = await game();
    const { text, structuredContent, isError } = await call("power-computer", {
      action: "reboot",
      waitMs: 2_000,
    });
    expect(isError).toBe(true);
    expect(structuredContent).toMatchObject({ state: "gone", autostart: false });
    expect(text).toContain("is not back after 2");
    expect(text).toContain(texts.itWentDownAndHas);
    expect(text).toContain(texts.autostartIsNotSetUp);
    expect(text).toMatch(/type this on it: .*install\.lua/);
    await computer.until(() => computer.stats.boots === 2);
    expect(isLinked(bridge, 12)).toBe(false);
  });

  it("does not wait if not wanted, and reports which jobs are lost", async () => {
    const { computer, call } = await game();
    const { structuredContent } = await call("exec-lua", { code: "sleep(1000)", waitMs: 0 });
    const { jobId } = structuredContent as { jobId: string };
    const { text, isError } = await call("power-computer", { action: "reboot", waitMs: 0 });
    expect(isError).toBeUndefined();
    expect(text).toContain(texts.isRebootingTheJobThat);
    await computer.until(() => computer.stats.boots === 2);
    expect((await call("get-job", { jobId })).text).toContain(texts.linkToTheComputer);
  });
});

describe("power-computer: shutdown", () => {
  it("answers, then switches it off", async () => {
    const { bridge, computer, call } = await game({}, true);
    const { text, structuredContent } = await call("power-computer", { action: "shutdown" });
    expect(text).toBe(texts.computerLabelBaseTurtleIs);
    expect(structuredContent).toMatchObject({ state: "gone", lostJobs: 0 });
    expect(isLinked(bridge, 12)).toBe(false);
    await computer.until(() => !computer.isOn);
    const again = await call("power-computer", { action: "shutdown" });
    expect(again.isError).toBe(true);
    expect(again.text).toMatch(new RegExp(texts.computerLabelBaseTurtleIsAway));
  });
});
