import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { noNats } from "@ccbridge/cluster/testing";
import { describe, expect, it } from "vitest";
import { linkComputer } from "../helpers/computer.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { startCluster } from "./start-cluster.js";

const tokenA = `a-token-${"x".repeat(32)}`;
const tokenB = `b-token-${"y".repeat(32)}`;

describe.skipIf(noNats !== undefined)(`clients of a cluster${noNats ? ` (${noNats})` : ""}`, () => {
  it("continue a session through any bridge, until its bridge is gone", async () => {
    const [a, b] = await startCluster({}, {});
    const session = await initialize(a.mcpUrl);
    const listed = await post(b.mcpUrl, { id: 2, method: "tools/list" }, session);
    expect(listed.status).toBe(200);
    expect(await listed.text()).toContain("list-computers");
    const ended = await fetch(b.mcpUrl, {
      method: "DELETE",
      headers: { "Mcp-Session-Id": session },
    });
    expect(ended.status).toBe(200);
    expect((await post(b.mcpUrl, { id: 3, method: "tools/list" }, session)).status).toBe(404);

    const other = await initialize(a.mcpUrl);
    await a.close();
    await expect
      .poll(async () => (await post(b.mcpUrl, { id: 2, method: "tools/list" }, other)).status)
      .toBe(404);
  });

  it("get the messages of a session's stream through another bridge", async () => {
    const [a, b] = await startCluster({}, {});
    const session = await initialize(a.mcpUrl);
    await post(a.mcpUrl, { method: "notifications/initialized" }, session);
    await post(
      a.mcpUrl,
      { id: 5, method: "resources/subscribe", params: { uri: "cc://computers" } },
      session,
    );
    const stop = new AbortController();
    const stream = await fetch(b.mcpUrl, {
      headers: { Accept: "text/event-stream", "Mcp-Session-Id": session },
      signal: stop.signal,
    });
    expect(stream.status).toBe(200);
    const reader = stream.body?.getReader();
    await linkComputer(a.linkUrl, { computerId: 1 });
    let text = "";
    while (!text.includes("notifications/")) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error(`the stream ended: ${text}`);
      text += new TextDecoder().decode(value);
    }
    stop.abort();
  });

  it("lose their token, and what they have open with it, everywhere when it is removed anywhere", async () => {
    const files = [0, 1].map(() => join(scratchDirectory(), "tokens"));
    const lines = `${tokenA} name=owner\n${tokenB} name=guest\n`;
    for (const file of files) writeFileSync(file, lines);
    const [one = "", two = ""] = files;
    const [a, b] = await startCluster({ mcpTokensFile: one }, { mcpTokensFile: two });
    const client = await connectClient(b.mcpUrl, { Authorization: `Bearer ${tokenB}` });
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    writeFileSync(one, `${tokenA} name=owner\n`);
    await expect.poll(() => b.clients.list().map(({ name }) => name)).toEqual(["owner"]);
    await expect(client.listTools()).rejects.toThrow("AUTH_FAILED");
    expect(a.clients.list().map(({ name }) => name)).toEqual(["owner"]);
    expect(readFileSync(two, "utf8")).not.toContain(tokenB);
  });

  it("are answered at the dashboard of any bridge, once", async () => {
    const [a, b] = await startCluster({}, {});
    const close = b.approvals.subscribe(() => {});
    await expect.poll(() => a.approvals.isOpen).toBe(true);
    const answer = a.approvals.ask({
      ...{ trace: "t", client: "anyone", tool: "exec-lua", targets: ["computer 1"] },
      ...{ question: "Run it?", subject: "return 1", choices: [{ value: "call", title: "once" }] },
    });
    await expect.poll(() => b.approvals.list().length).toBe(1);
    const [asked] = b.approvals.list();
    expect(b.approvals.answer(asked?.id ?? "", "call", "someone at b")).toBe(true);
    expect(await answer).toEqual({ decision: "call", by: "someone at b" });
    await expect.poll(() => b.approvals.list()).toEqual([]);
    expect(b.approvals.answer(asked?.id ?? "", "call", "again")).toBe(false);
    close();
    await expect.poll(() => a.approvals.isOpen).toBe(false);
  });

  it("see and end their alerts on any bridge", async () => {
    const [a, b] = await startCluster({}, {});
    const [viaA, viaB] = [await connectClient(a.mcpUrl), await connectClient(b.mcpUrl)];
    const { text } = await callTool(viaA, "create-alert", { event: "linked", times: 9 });
    const [, id = ""] = /"remove":"([^"]+)"/.exec(text) ?? [];
    const shown = async (args: Record<string, unknown> = {}) =>
      (await callTool(viaB, "create-alert", args)).text;
    await expect.poll(shown).toContain(id);
    await linkComputer(b.linkUrl, { computerId: 12, label: "far" });
    await expect.poll(shown).toMatch(/Fired at .*far/);
    expect(await shown({ remove: id })).toMatch(/^Removed: .*\nYou have no alerts\./);
    await expect
      .poll(async () => (await callTool(viaA, "create-alert", {})).text)
      .toContain("You have no alerts.");
  });

  it("keep on all bridges what a person allowed on one, until it is revoked on any", async () => {
    const file = () => {
      const path = join(scratchDirectory(), "tokens");
      writeFileSync(path, `${tokenA} name=owner\n`);
      return path;
    };
    const [a, b] = await startCluster({ mcpTokensFile: file() }, { mcpTokensFile: file() });
    const [ownerA, ownerB] = [a, b].map(({ clients }) => clients.find(tokenA));
    if (ownerA === undefined || ownerB === undefined) throw new Error("no client");
    const targets = [{ key: "k", name: "computer 1" }];
    const { id } = a.permissions.grant(ownerA, { tool: "exec-lua", targets, grantedBy: "me" });
    await expect.poll(() => b.permissions.allowedBy(ownerB, "exec-lua", targets)).toBe("me");
    b.permissions.revoke(id);
    await expect.poll(() => a.permissions.allowedBy(ownerA, "exec-lua", targets)).toBe(undefined);
  });

  it("use up one quota on all bridges", async () => {
    const file = () => {
      const path = join(scratchDirectory(), "tokens");
      writeFileSync(path, `${tokenA} name=kim quota=4/day\n`);
      return { mcpTokensFile: path };
    };
    const [a, b] = await startCluster(file(), file());
    const headers = { Authorization: `Bearer ${tokenA}` };
    const [viaA, viaB] = [
      await connectClient(a.mcpUrl, headers),
      await connectClient(b.mcpUrl, headers),
    ];
    for (let n = 0; n < 3; n++) {
      expect((await callTool(viaA, "list-computers")).isError).not.toBe(true);
    }
    // Each counts half a second late what the other has allowed: together a little more than the quota.
    let more = 0;
    await expect
      .poll(
        async () => {
          const { isError } = await callTool(viaB, "list-computers");
          if (isError !== true) more += 1;
          return isError;
        },
        { interval: 700 },
      )
      .toBe(true);
    expect(more).toBeLessThan(4);
    await expect.poll(async () => (await callTool(viaA, "list-computers")).isError).toBe(true);
  });

  it("approve computers at any bridge", async () => {
    const [a, b] = await startCluster({ pairing: "on" }, { pairing: "on" });
    const waiting = await linkComputer(a.linkUrl, { computerId: 9 });
    // An agent that cannot show a code is refused; the pairing of one that can is shared below.
    expect(waiting.fake.received.length).toBeGreaterThan(0);
    const opened = a.pairing?.open(
      {
        provider: { ...computer, key: "computer:9" } as never,
        origin: { address: "10.0.0.9" },
        showsCode: true,
      },
      { approved: (secret) => secrets.push(secret ?? ""), ended: () => {} },
    );
    const secrets: string[] = [];
    const code = opened?.code ?? "";
    await expect.poll(() => b.pairing?.pending().map((each) => each.code)).toEqual([code]);
    expect(b.pairing?.confirm(code, "someone at b")?.computerId).toBe(9);
    await expect.poll(() => secrets.length).toBe(1);
    await expect
      .poll(() => b.pairing?.accepts({ ...computer, key: "computer:9" } as never, secrets[0]))
      .toBe(true);
    b.pairing?.revoke("computer:9", "someone at b");
    await expect
      .poll(() => a.pairing?.accepts({ ...computer, key: "computer:9" } as never, secrets[0]))
      .toBe(false);
  });
});

const computer = { kind: "computer", computerId: 9, label: null, world: null, instance: "i" };

async function initialize(url: string): Promise<string> {
  const response = await post(url, {
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    },
  });
  await response.text();
  return response.headers.get("mcp-session-id") ?? "";
}

function post(url: string, message: object, session?: string): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(session === undefined ? {} : { "Mcp-Session-Id": session }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
}
