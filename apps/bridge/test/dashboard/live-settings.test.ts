import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { loadCommand } from "../../src/config/load.js";
import type { TestBridge } from "../helpers/bridge.js";
import { linkComputer, openSocket } from "../helpers/computer.js";
import { fromRemote } from "../helpers/proxy.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { startWireBridge, tokenFile, WirePage } from "./helpers.js";

async function toolsOf(bridge: TestBridge) {
  const client = await connectClient(bridge.mcpUrl);
  const changed = vi.fn();
  client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
  client.setNotificationHandler(LoggingMessageNotificationSchema, () => {});
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  await names();
  return { client, names, changed };
}

const waitingIds = (bridge: TestBridge) =>
  bridge.pairing?.pending().map(({ computerId }) => computerId);

describe("settings at the dashboard", () => {
  it("read-only holds for the next call of every client, and for pages, and is in the audit", async () => {
    const auditFile = join(scratchDirectory(), "audit.jsonl");
    const bridge = await startWireBridge({ auditFile });
    await linkComputer(bridge.linkUrl, { computerId: 1 });
    const { client, names, changed } = await toolsOf(bridge);
    const page = await new WirePage(bridge).hello();
    const mayAct = () =>
      page.received.flatMap((message) =>
        message.type === "welcome" ? [message.viewer.mayAct] : [],
      );
    const settings = page.watch("settings", {});
    await settings.first();
    await page.act("change-setting", { name: "CC_READ_ONLY", value: "on" });
    await settings.first(({ settings: all }) =>
      all.some(({ name, value }) => name === "CC_READ_ONLY" && value === "on"),
    );
    await vi.waitFor(() => expect(changed).toHaveBeenCalled());
    expect(await names()).toContain("read-file");
    expect(await names()).not.toContain("exec-lua");
    const { isError, text } = await callTool(client, "exec-lua", {
      computerId: 1,
      code: "return 1",
    });
    expect(isError).toBe(true);
    expect(text).toContain("read-only");
    await page.until(() => mayAct().length === 2 || undefined);
    expect(mayAct()).toEqual([true, false]);
    // An owner still may: changing it back is managing the bridge.
    await page.act("change-setting", { name: "CC_READ_ONLY", value: "off" });
    expect(await names()).toContain("exec-lua");
    const audit = readFileSync(auditFile, "utf8").split("\n");
    expect(audit.filter((line) => line.includes('"tool":"change-setting"')).length).toBe(4);
    expect(audit.join()).toContain(JSON.stringify('{"name":"CC_READ_ONLY","value":"on"}'));
  });

  it("groups of tools change the list of every client", async () => {
    const bridge = await startWireBridge();
    const { client, names, changed } = await toolsOf(bridge);
    const page = await new WirePage(bridge).hello();
    await page.act("change-setting", { name: "CC_TOOLS", value: "core" });
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
    expect(await names()).toContain("exec-lua");
    expect(await names()).not.toContain("read-file");
    await expect(callTool(client, "read-file", { path: "/a" })).rejects.toThrow("no tool");
    const late = await connectClient(bridge.mcpUrl);
    expect(late.getInstructions()).not.toContain("get-history");
    await page.act("change-setting", { name: "CC_TOOLS", value: "all" });
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(2));
    expect(await names()).toContain("read-file");
  });

  it("pairing holds for computers that are linked or wait already", async () => {
    const bridge = await startWireBridge();
    const near = await linkComputer(bridge.linkUrl, { computerId: 1 });
    await linkComputer(bridge.linkUrl, { computerId: 5, protocol: 1 }, fromRemote());
    expect(waitingIds(bridge)).toEqual([5]);
    const { names } = await toolsOf(bridge);
    expect(await names()).toContain("approve-computer");
    const page = await new WirePage(bridge).hello();
    const set = (value: string) => page.act("change-setting", { name: "CC_PAIRING", value });
    await set("off");
    await vi.waitFor(() => expect(bridge.registry.size).toBe(2));
    expect(waitingIds(bridge)).toEqual([]);
    expect(await names()).not.toContain("approve-computer");
    expect((await fetch(new URL("/pairing", bridge.mcpUrl))).status).toBe(404);
    await set("on");
    await near.closed;
    expect(bridge.registry.size).toBe(0);
    const again = await openSocket(bridge.linkUrl);
    const hello = { type: "hello", computerId: 1, protocol: 2, features: ["pairing"] };
    again.socket.send(JSON.stringify(hello));
    await vi.waitFor(() => expect(waitingIds(bridge)).not.toEqual([]));
    expect(waitingIds(bridge)).toEqual([1]);
    await set("auto");
    await again.closed;
    expect(waitingIds(bridge)).toEqual([]);
  });

  it("list the approved computers, and take an approval back", async () => {
    const bridge = await startWireBridge(tokenFile("owner-token name=owner"));
    const far = await linkComputer(
      bridge.linkUrl,
      { computerId: 5, label: "gate", protocol: 1 },
      fromRemote(),
    );
    const page = await new WirePage(bridge).hello("owner-token");
    const approved = page.watch("approved", {});
    expect(await approved.first()).toEqual({ computers: [], total: 0 });
    const [{ code } = { code: "return 1" }] = bridge.pairing?.pending() ?? [];
    await page.act("pair", { code, accept: true });
    const { computers } = await approved.first(({ total }) => total === 1);
    expect(computers).toMatchObject([{ by: "owner at the dashboard", world: null }]);
    expect(computers[0]?.name).toContain("gate");
    const key = computers[0]?.key ?? "";
    await page.act("revoke-approval", { key });
    await far.closed;
    await vi.waitFor(() => expect(approved.all().at(-1)).toEqual({ computers: [], total: 0 }));
    await expect(page.act("revoke-approval", { key })).rejects.toThrow("not approved any more");
  });

  it("are kept over a restart, and fixed where a flag or the environment states them", async () => {
    const settingsFile = join(scratchDirectory(), "settings.json");
    const first = await startWireBridge({ settingsFile });
    const page = await new WirePage(first).hello();
    expect((await page.watch("settings", {}).first()).keptIn).toBe(settingsFile);
    await page.act("change-setting", { name: "CC_READ_ONLY", value: "on" });
    await first.close();
    const configOf = (env: Record<string, string>) => {
      const command = loadCommand({ argv: [], env: { ...env, CC_SETTINGS_FILE: settingsFile } });
      if (command.action !== "serve") return expect.unreachable();
      const { readOnly, given = [], kept = [] } = command.config;
      return { settingsFile, readOnly, given, kept };
    };
    const second = await startWireBridge(configOf({}));
    expect(await (await toolsOf(second)).names()).not.toContain("exec-lua");
    const third = await startWireBridge(configOf({ CC_READ_ONLY: "off" }));
    expect(await (await toolsOf(third)).names()).toContain("exec-lua");
    const owner = await new WirePage(third).hello();
    const { settings } = await owner.watch("settings", {}).first();
    expect(settings.find(({ name }) => name === "CC_READ_ONLY")).toMatchObject({ isFixed: true });
    await expect(
      owner.act("change-setting", { name: "CC_READ_ONLY", value: "on" }),
    ).rejects.toThrow(texts.isSetWhereThe);
  });

  it("are for owners only", async () => {
    const bridge = await startWireBridge(
      tokenFile("owner-token name=owner", "b name=bob tools=core"),
    );
    const page = await new WirePage(bridge).hello("b");
    const change = page.act("change-setting", { name: "CC_READ_ONLY", value: "on" });
    await expect(change).rejects.toThrow("for the bridge's owner");
    for (const topic of ["settings", "approved"] as const) {
      expect((await page.watch(topic, {}).failed()).error).toContain("for the bridge's owner");
    }
  });
});
