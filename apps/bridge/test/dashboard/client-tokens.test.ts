import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { connectClient } from "../helpers/sdk-client.js";
import { startWireBridge, tokenFile, WirePage } from "./helpers.js";

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

describe("tokens of clients", () => {
  it("are created by an owner, work at once, are shown once and never recorded, and are revoked", async () => {
    const settings = tokenFile("owner-token name=owner");
    const auditFile = join(scratchDirectory(), "audit.jsonl");
    const bridge = await startWireBridge({ ...settings, auditFile });
    const page = await new WirePage(bridge).hello("owner-token");
    const { token } = await page.act("create-token", {
      ...{ name: "helper", mode: "look", tools: "core", computers: "", until: "2999-12-31" },
    });
    const tokens = page.watch("tokens", {});
    const find = (name: string, used = false) =>
      tokens.first(({ tokens: all }) =>
        all.some((each) => each.name === name && (!used || each.usedAt !== null)),
      );
    expect((await find("helper")).tokens[1]).toEqual({
      ...{ name: "helper", mode: "look", rights: "tools=core", isExpired: false, usedAt: null },
      ...{ until: new Date(3000, 0, 1).getTime(), mayRevoke: true },
    });
    const client = await connectClient(bridge.mcpUrl, bearer(token));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain("exec-lua");
    await find("helper", true);
    await page.act("revoke-token", { name: "helper" });
    await expect(client.listTools()).rejects.toThrow();
    await expect(connectClient(bridge.mcpUrl, bearer(token))).rejects.toThrow();
    const audit = readFileSync(auditFile, "utf8");
    expect(audit).toContain('"tool":"create-token"');
    expect(audit).toContain('"tool":"revoke-token"');
    for (const text of [audit, JSON.stringify(page.received.slice(2))]) {
      expect(text).not.toContain(token);
    }
  });

  it("are refused with the reason: a name in use, invalid rights, the page's own token", async () => {
    const bridge = await startWireBridge(tokenFile("owner-token name=owner", "b name=bob"));
    const page = await new WirePage(bridge).hello("owner-token");
    const create = (name: string, more: object = {}) =>
      page.act("create-token", { name, mode: "ask", ...more });
    await expect(create("bob")).rejects.toThrow("the name of line 2 again");
    await expect(create("two words")).rejects.toThrow("name= must be 1 to 64 letters");
    await expect(create("eve", { until: "soon" })).rejects.toThrow("until= must be a date");
    await expect(create("eve", { tools: "core\nevil-token name=evil" })).rejects.toThrow();
    await expect(page.act("revoke-token", { name: "owner" })).rejects.toThrow("signed in with");
    await expect(page.act("revoke-token", { name: "nobody" })).rejects.toThrow("no token with");
    expect(bridge.clients.list().map(({ name }) => name)).toEqual(["owner", "bob"]);
  });

  it("cannot be created where there is no file, and the page says what to do", async () => {
    const bridge = await startWireBridge({ mcpTokens: ["own-token"] });
    const page = await new WirePage(bridge).hello("own-token");
    const { advice, tokens } = await page.watch("tokens", {}).first();
    expect(advice).toContain(texts.ccbridgeTokenAddNameOwner);
    expect(tokens).toMatchObject([{ name: "token-1", mayRevoke: false }]);
    await expect(page.act("create-token", { name: "x", mode: "ask" })).rejects.toThrow(
      texts.ccbridgeTokenAddNameOwner,
    );
  });
});
