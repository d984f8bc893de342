// What a bridge knows beside its jobs and events, after it was stopped and started again.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { bearer } from "../calls/helpers.js";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { startWireBridge, WirePage } from "../dashboard/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

const code = "return 1";
const programs = { [code]: () => [] };

/** Settings that a bridge can be started with again and again. */
function settingsWith(tokens: string) {
  const folder = scratchDirectory();
  const mcpTokensFile = join(folder, "tokens");
  const write = (text: string) => writeFileSync(mcpTokensFile, text, { mode: 0o600 });
  write(tokens);
  const historyFile = join(folder, "history.db");
  return { write, settings: { history: "on", historyFile, mcpTokensFile } as const };
}

it("a permission for an hour holds for a client with the same token and rights, and for no other", async () => {
  const tokens = "t-kim name=kim mode=ask\nt-owner name=owner\n";
  const { write, settings } = settingsWith(tokens);
  const exec = async (bridge: Awaited<ReturnType<typeof startTestBridge>>) => {
    await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    const client = await connectClient(bridge.mcpUrl, bearer("t-kim"));
    return (await callTool(client, "exec-lua", { computerId: 1, code })).text;
  };
  const first = await startTestBridge(settings);
  expect(await exec(first)).toContain("no person was asked");
  const kim = first.clients.list().find(({ name }) => name === "kim");
  const [link] = first.computers.list();
  if (kim === undefined || link === undefined) throw new Error("not there");
  const { key, name } = link.provider;
  const granted = { tool: "exec-lua", targets: [{ key, name }], grantedBy: "ann" };
  const { id } = first.permissions.grant(kim, granted);
  await first.close();

  const second = await startTestBridge(settings);
  expect(second.permissions.list()).toMatchObject([{ id, client: "kim", grantedBy: "ann" }]);
  expect(await exec(second)).toContain("Ran on");
  await second.close();

  write("t-kim name=kim mode=ask computers=1\nt-owner name=owner\n");
  const third = await startTestBridge(settings);
  expect(third.permissions.list()).toEqual([]);
  await third.close();

  write(tokens);
  const fourth = await startTestBridge(settings);
  fourth.permissions.revoke(id);
  await fourth.close();
  const fifth = await startTestBridge(settings);
  expect(fifth.permissions.list()).toEqual([]);
});

it("used quotas and rates stay used up", async () => {
  const { settings } = settingsWith("t-kim name=kim quota=2/day\nt-ann name=ann rate=2/day\n");
  const limited = { ...settings, computerQuota: "3/day" };
  const first = await startTestBridge(limited);
  const clients = async (bridge: typeof first) => [
    await connectClient(bridge.mcpUrl, bearer("t-kim")),
    await connectClient(bridge.mcpUrl, bearer("t-ann")),
  ];
  await linkComputer(first.linkUrl, { computerId: 1, instance: "a", programs });
  for (const client of await clients(first)) {
    await callTool(client, "exec-lua", { computerId: 1, code });
    await callTool(client, "list-computers");
  }
  await first.close();

  const second = await startTestBridge(limited);
  await linkComputer(second.linkUrl, { computerId: 1, instance: "a", programs });
  for (const client of await clients(second)) {
    expect((await callTool(client, "list-computers")).text).toContain("used up");
  }
  await second.close();

  // Of the computer one call is left.
  const third = await startTestBridge({ ...limited, mcpTokensFile: "" });
  await linkComputer(third.linkUrl, { computerId: 1, instance: "a", programs });
  const client = await connectClient(third.mcpUrl);
  expect((await callTool(client, "exec-lua", { computerId: 1, code })).text).toContain("Ran on");
  expect((await callTool(client, "exec-lua", { computerId: 1, code })).text).toContain("used up");
});

it("trails of turtles, numbers, activity and the last links are there", async () => {
  const { settings } = settingsWith("t-owner name=owner\n");
  const bridge = await startWireBridge({ ...settings, linkPort: 0 });
  const world = await startWorld();
  const turtle = await linkGameComputer(bridge, world, { kind: "turtle", label: "digger" });
  const key = bridge.computers.list()[0]?.provider.key ?? "";
  const client = await connectClient(bridge.mcpUrl, bearer("t-owner"));
  await callTool(client, "set-position", { computerId: 12, x: 5, y: 64, z: 5, facing: "north" });
  await callTool(client, "turtle-status", { computerId: 12 });
  const page = await new WirePage(bridge).hello("t-owner");
  await page.watch("turtle", { key }).first(({ trail }) => trail.length > 0);
  turtle.shutdown();
  await vi.waitFor(() => expect(bridge.computers.list()).toHaveLength(0));
  await bridge.close();

  const again = await startWireBridge({ ...settings, linkPort: 0 });
  const health = await fetch(`http://127.0.0.1:${again.mcpPort}/health`, {
    headers: bearer("t-owner"),
  });
  expect(await health.json()).toMatchObject({ lastLinkMsAgo: expect.any(Number) });
  const later = await new WirePage(again).hello("t-owner");
  const { calls } = await later.watch("activity", {}).first();
  expect(calls.map(({ tool }) => tool)).toContain("set-position");
  const summary = await callTool(
    await connectClient(again.mcpUrl, bearer("t-owner")),
    "get-history",
    { view: "summary" },
  );
  expect(summary.text).toContain("moved, last seen at 5 64 5");
});
