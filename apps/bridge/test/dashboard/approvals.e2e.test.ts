import type { ActionParams } from "@ccbridge/protocol/dashboard";
import { describe, expect, it, vi } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import type { TestBridge } from "../helpers/bridge.js";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { openTask, patience, sharedBrowser } from "./browser.js";
import { startPageBridge, startWireBridge, tokenFile, WirePage } from "./helpers.js";

vi.setConfig({ testTimeout: 120_000 });

const tokens = tokenFile.bind(
  undefined,
  "owner-token name=owner",
  "asking-token name=helper mode=ask",
  "look-token name=guest mode=look",
);

async function startAsking(start = startWireBridge) {
  const bridge = await start(tokens());
  const world = await startWorld();
  await linkGameComputer(bridge, world, { label: "base" });
  await linkGameComputer(bridge, world, { id: 13, label: "other" });
  const client = await connectAs(bridge, "asking-token");
  const exec = (computerId: unknown, code: string) =>
    callTool(client, "exec-lua", { computerId, code });
  const write = (computerId: number) =>
    callTool(client, "write-file", { computerId, path: "/new.txt", content: "text" });
  return { bridge, client, exec, write };
}

function connectAs({ mcpUrl }: TestBridge, token: string) {
  return connectClient(mcpUrl, { Authorization: `Bearer ${token}` });
}

describe("what a person allows", () => {
  it("is one call, or for an hour a tool on its targets, or every change on them", async () => {
    const { bridge, exec, write } = await startAsking();
    const page = await new WirePage(bridge).hello("owner-token");
    const waiting = page.watch("waiting", {});
    await waiting.first();
    const { permissions } = bridge;
    const held = page.watch("permissions", {});
    await held.first();
    type Decision = ActionParams<"decide">["decision"];
    const asked = async (call: Promise<{ text: string }>, decision: Decision) => {
      const { approvals } = await waiting.first((data) =>
        data.approvals.some(({ id }) => !answered.has(id)),
      );
      const approval = approvals.find(({ id }) => !answered.has(id)) ?? expect.unreachable();
      answered.add(approval.id);
      await page.act("decide", { id: approval.id, decision });
      await call;
      return approval;
    };
    const answered = new Set<string>();
    const notAsked = async (call: Promise<{ text: string }>) => {
      await call;
      expect(bridge.approvals.list()).toEqual([]);
    };

    const long = `return "${"x".repeat(20_000)}"`;
    const once = await asked(exec(12, long), "call");
    expect(once.subject).toContain(long);
    expect(once.choices.map(({ value }) => value)).toEqual(["call", "tool", "targets"]);
    expect(permissions.list()).toEqual([]);

    await asked(exec(12, "return 1"), "tool");
    await notAsked(exec(12, "return 2"));
    await asked(write(12), "call");
    await asked(exec(13, "return 1"), "no");
    const both = await asked(exec([12, 13], "return 1"), "no");
    expect(both.targets).toEqual(["computer 12 (Label: base)", "computer 13 (Label: other)"]);
    expect(both.question).toContain(both.targets.join(" and "));

    await asked(exec(13, "return 1"), "targets");
    await notAsked(write(13));
    const { permissions: rows } = await held.first((data) => data.permissions.length === 2);
    expect(rows).toMatchObject([
      { client: "helper", tool: "exec-lua", targets: ["computer 12 (Label: base)"] },
      { client: "helper", tool: null, targets: ["computer 13 (Label: other)"] },
    ]);
    expect(rows[0]?.grantedBy).toContain("owner");
    expect(rows[0]?.until).toBeGreaterThan(Date.now() + 3_500_000);

    for (const { id } of rows) await page.act("revoke-permission", { id });
    await expect.poll(() => held.all().at(-1)?.permissions, patience).toEqual([]);
    await asked(exec(12, "return 3"), "no");
    await asked(write(13), "no");
    await expect(page.act("revoke-permission", { id: rows[0]?.id ?? "" })).rejects.toThrow(
      /does not hold/,
    );
  });

  it("is seen and revoked by owners alone", async () => {
    const { bridge, exec } = await startAsking();
    const [helper] = bridge.clients.list().filter(({ name }) => name === "helper");
    const { key, name } = bridge.computers.find(12).provider;
    const grant = () =>
      bridge.permissions.grant(helper ?? expect.unreachable(), {
        ...{ tool: undefined, targets: [{ key, name }], grantedBy: "owner at the dashboard" },
      });
    const { id } = grant();
    for (const token of ["asking-token", "look-token"]) {
      const page = await new WirePage(bridge).hello(token);
      await expect(page.act("revoke-permission", { id })).rejects.toThrow(/owner/);
      expect((await page.watch("permissions", {}).failed()).error).toContain("owner");
      const client = await connectAs(bridge, token);
      const { isError } = await callTool(client, "permissions", { revoke: id });
      expect(isError).toBe(true);
    }
    expect((await exec(12, "return 1")).text).toContain("Returned: 1");

    const owner = await connectAs(bridge, "owner-token");
    const listed = async () => (await owner.listTools()).tools.map((tool) => tool.name);
    expect(await listed()).toContain("permissions");
    const { text } = await callTool(owner, "permissions", {});
    expect(text).toContain(fill(texts.helperMayUseEveryTool, id));
    const revoked = await callTool(owner, "permissions", { revoke: id });
    expect(revoked.text).toMatch(/^Revoked: helper may use[^\n]*\nNo permissions hold now\.$/);
    expect((await callTool(owner, "permissions", { revoke: id })).isError).toBe(true);
    expect((await exec(12, "return 1")).isError).toBe(true);
    expect(await listed()).not.toContain("permissions");
    const changed = new Promise<void>((resolve) => {
      owner.fallbackNotificationHandler = async ({ method }) => {
        if (method === "notifications/tools/list_changed") resolve();
      };
    });
    grant();
    await changed;
    expect(await listed()).toContain("permissions");
  });
});

describe.skipIf(chromiumPath === undefined)(`questions on the page${chromiumNote}`, () => {
  const open = sharedBrowser();

  it("show all that would happen, are answered by a click, and what was allowed is revoked", async () => {
    const { bridge, exec } = await startAsking(startPageBridge);
    const page = await open(bridge, { hash: "#/activity", token: "owner-token" });
    await expect.poll(() => bridge.approvals.isOpen, patience).toBe(true);
    await expect.poll(() => page.title(), patience).toBe("Activity · ccbridge");
    const evil = "<img src=x onerror=alert(1)>";
    const code = `-- ${evil}\n${"sleep(0)\n".repeat(500)}return "the last line"`;
    const first = exec([12, 13], code);
    const question = page.getByRole("article", { name: /wants to use exec-lua/ });
    await question.waitFor();
    await expect.poll(() => page.title(), patience).toBe("(1) ccbridge");
    await expect(question.locator("p").first().textContent()).resolves.toMatch(
      /base \(#12\) and other \(#13\)/,
    );
    const subject = question.locator("pre");
    expect(await subject.textContent()).toContain(code);
    const box = await subject.evaluate((each) => [each.scrollHeight, each.clientHeight]);
    expect(box[0]).toBeGreaterThan(box[1] ?? 0);
    await openTask(page);
    await page.locator("details.call .badge.waiting").waitFor();
    const trace = bridge.approvals.list()[0]?.trace ?? "";
    await page.locator("details.call summary").first().click();
    await page.locator("details.call").first().getByText(trace).waitFor();
    await page.getByLabel("Outcome").selectOption("running");
    await page.getByText("No matching calls").waitFor();
    await page.getByLabel("Outcome").selectOption("");
    await question.getByRole("button", { name: /^exec-lua on .* until \d\d:\d\d$/ }).click();
    expect((await first).text).toContain("the last line");
    await question.waitFor({ state: "hidden" });
    await expect.poll(() => page.title(), patience).toBe("Activity · ccbridge");

    expect((await exec(13, "return 2")).text).toContain("Returned: 2");
    const allowed = page.getByRole("region", { name: "Allowed for now" });
    await allowed.getByText("allowed by owner at the dashboard").waitFor();
    await allowed.getByRole("button", { name: /^Revoke exec-lua on base/ }).click();
    await allowed.waitFor({ state: "hidden" });
    const third = exec(13, "return 3");
    await question.getByRole("button", { name: "No", exact: true }).click();
    expect((await third).text).toContain("was not allowed");
    expect(await page.locator("#app img").count()).toBe(0);
  });

  it("of a page in ask mode wait for an owner at another page, and show that", async () => {
    const { bridge } = await startAsking(startPageBridge);
    const owner = await new WirePage(bridge).hello("owner-token");
    const waiting = owner.watch("waiting", {});
    await waiting.first();
    const page = await open(bridge, { token: "asking-token" });
    await page.getByRole("link", { name: /^base/ }).click();
    await page.getByPlaceholder("Run a program").fill("id");
    await page.getByRole("button", { name: "Run" }).click();
    const banner = page.getByText("A person must allow what you do.");
    await banner.waitFor();
    const { approvals } = await waiting.first((data) => data.approvals.length > 0);
    expect(approvals).toMatchObject([{ client: "helper", tool: "run-program" }]);
    await owner.act("decide", { id: approvals[0]?.id ?? "", decision: "call" });
    await page.getByRole("button", { name: "id", pressed: true }).waitFor();
    await banner.waitFor({ state: "hidden" });
  });
});
