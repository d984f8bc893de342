import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { atPrompt, isLinked, placeComputer, startWorld } from "./helpers.js";

const lamp = `while true do
  redstone.setOutput("back", not redstone.getOutput("back"))
  sleep(0.2)
end`;

async function autostarted(advanced: boolean) {
  const bridge = await startTestBridge();
  const computer = await placeComputer(await startWorld(), {
    advanced,
    files: { "/lamp.lua": lamp },
  });
  computer.type(`mcp-computer ${bridge.linkUrl} --autostart\n`);
  await computer.until(() => isLinked(bridge, 12));
  const client = await connectClient(bridge.mcpUrl);
  const call = (name: string, args: object = {}) => callTool(client, name, { ...args });
  const at = (name: string, args: object = {}) => call(name, { computerId: 12, ...args });
  const reboot = () => at("power-computer", { action: "reboot", waitMs: 50_000 });
  return { computer, call, at, reboot };
}

describe.each([
  ["without tabs", false],
  ["with tabs", true],
])("a program that is to run always, on a computer %s", (_name, advanced) => {
  it("runs at once and after a restart, is named by the lists, and is removed", async () => {
    const { computer, call, at, reboot } = await autostarted(advanced);
    const started = await at("run-program", { command: "lamp", atBoot: true, waitMs: 100 });
    expect(started.text).toContain(texts.itStartsAtEveryBoot);
    expect((await reboot()).isError).toBeUndefined();
    const isLit = () => computer.redstone.output("back") > 0;
    await computer.until(isLit);
    await computer.until(() => !isLit());
    // The player's prompt is free as well.
    await computer.until(() => atPrompt(computer));
    const { text } = await call("list-jobs");
    const unknown = fill(texts.whatThePlayerRunsIs, "12 (Label: base-turtle)");
    expect(text.includes(unknown)).toBe(!advanced);
    const jobId = /^(\S+) running on .*, started at boot \| lamp$/m.exec(text)?.[1];
    expect(jobId, text).toBeDefined();
    expect((await call("list-computers")).text).toContain(`running: lamp (job ${jobId})`);
    expect((await at("run-program", { atBoot: true })).text).toContain(
      `"lamp", running as job ${jobId}`,
    );
    const removed = await at("run-program", { command: "lamp", atBoot: false });
    expect(removed.text).toContain(fill(texts.itStillRunsAs, jobId));
    expect((await call("cancel-job", { jobId })).isError).toBeUndefined();
    await reboot();
    expect((await call("list-jobs")).text).not.toContain("running");
    expect((await at("run-program", { atBoot: true })).text).toContain(
      "No programs of run-program",
    );
  });
});

it("a program that a player opened in a tab is named by the lists", async () => {
  const { computer, call, reboot } = await autostarted(true);
  await reboot();
  await computer.until(() => atPrompt(computer));
  computer.type("bg lamp\n");
  await computer.until(() => computer.redstone.output("back") > 0);
  expect((await call("list-jobs")).text).toMatch(/^12 .*: lamp \(a tab\)$/m);
  expect((await call("list-computers")).text).toContain("running: lamp (a tab)");
});

it("an endless program in /startup.lua, which keeps the link away, is warned of", async () => {
  const { at } = await autostarted(false);
  const { text } = await at("write-file", { path: "/startup.lua", content: lamp });
  expect(text).toContain(texts.thisRunsAtEveryBoot);
  expect(text).toContain("atBoot");
});
