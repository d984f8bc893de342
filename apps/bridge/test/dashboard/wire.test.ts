import { CloseReason } from "@ccbridge/protocol/dashboard";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer, upgradeStatus } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { startWireBridge, tokenFile, WirePage } from "./helpers.js";

const browser = { accept: "text/html" };

describe("the page of the dashboard", () => {
  it("is sent to browsers, under a policy that lets nothing else in", async () => {
    const { mcpPort } = await startWireBridge();
    const base = `http://127.0.0.1:${mcpPort}`;
    const page = await fetch(`${base}/`, { headers: browser });
    expect(await page.text()).toContain("<title>page</title>");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    expect(page.headers.get("cache-control")).toBe("no-cache");
    expect(await (await fetch(`${base}/`)).text()).toContain(texts.inABrowserFor);
  });

  it("has files that may be kept forever, and no others", async () => {
    const { mcpPort } = await startWireBridge();
    const base = `http://127.0.0.1:${mcpPort}/dashboard`;
    const file = await fetch(`${base}/main-abc.js`);
    expect(file.headers.get("cache-control")).toContain("immutable");
    expect(file.headers.get("content-encoding")).toBe("gzip");
    const etag = file.headers.get("etag") ?? "";
    const again = await fetch(`${base}/main-abc.js`, { headers: { "if-none-match": etag } });
    expect(again.status).toBe(304);
    for (const path of ["/nothing.js", "/../index.html", "/..%2f..%2fpackage.json", "/%00"]) {
      expect((await fetch(`${base}${path}`)).status, path).not.toBe(200);
    }
    const post = await fetch(`${base}/main-abc.js`, { method: "POST" });
    expect(post.status).toBeGreaterThanOrEqual(400);
  });

  it("explains when the bridge was built without it", async () => {
    const { mcpPort } = await startTestBridge();
    const page = await fetch(`http://127.0.0.1:${mcpPort}/`, { headers: browser });
    expect(await page.text()).toContain("built without its dashboard");
  });
});

describe("the dashboard's socket", () => {
  it("accepts only this bridge's own page", async () => {
    const { mcpPort } = await startWireBridge({ mcpAllowedOrigins: ["http://friend.example"] });
    const url = `ws://127.0.0.1:${mcpPort}/dashboard/live`;
    const statusFor = (origin?: string) =>
      upgradeStatus(url, origin === undefined ? {} : { headers: { origin } });
    expect(await statusFor(`http://127.0.0.1:${mcpPort}`)).toBe(101);
    expect(await statusFor("http://friend.example")).toBe(403);
    expect(await statusFor("http://evil.example")).toBe(403);
    expect(await statusFor(`http://localhost:${mcpPort}`)).toBe(403);
    expect(await statusFor()).toBe(403);
    expect((await fetch(url.replace("ws", "http"))).status).toBe(403);
  });

  it("wants a token in the first message, where there are tokens", async () => {
    const bridge = await startWireBridge({ mcpTokens: ["hush-hush"] });
    for (const token of [undefined, "wrong"]) {
      const page = new WirePage(bridge);
      page.socket.once("open", () =>
        page.send({ type: "hello", ...(token === undefined ? {} : { token }) }),
      );
      expect(await page.closed).toMatchObject({ code: CloseReason.token });
      expect(page.received).toEqual([]);
    }
    const page = new WirePage(bridge);
    page.socket.once("open", () =>
      page.send({ type: "watch", watch: 1, topic: "fleet", params: {} }),
    );
    expect(await page.closed).toMatchObject({ code: CloseReason.malformed });
    const welcomed = await new WirePage(bridge).hello("hush-hush");
    expect(welcomed.received[0]).toMatchObject({ type: "welcome", version: "1.2.3" });
  });

  it("slows down clients that guess", async () => {
    const bridge = await startWireBridge({ mcpTokens: ["hush-hush"] });
    const codes: number[] = [];
    for (let guess = 0; guess < 25; guess++) {
      const page = new WirePage(bridge);
      page.socket.once("open", () => page.send({ type: "hello", token: `guess ${guess}` }));
      codes.push((await page.closed).code);
    }
    expect(codes.at(-1)).toBe(CloseReason.busy);
  });

  it("reveals no secret of the bridge", async () => {
    const bridge = await startWireBridge({
      mcpTokens: ["hush-hush"],
      linkTokens: ["link-secret"],
      minecraftTokens: ["server-secret"],
    });
    const page = await new WirePage(bridge).hello("hush-hush");
    const facts = await page.act("connect", {});
    expect(JSON.stringify(facts)).not.toMatch(/hush|secret/);
    expect(facts.gameCommand).toContain(`:${bridge.linkPort}/install.lua?token=YOUR_TOKEN`);
    expect(facts.url).toBe(`http://127.0.0.1:${bridge.mcpPort}/mcp`);
    expect(facts.addressRule).toContain(`port = ${bridge.linkPort}`);
  });

  it("answers nonsense with a sentence, or hangs up", async () => {
    const bridge = await startWireBridge();
    const page = await new WirePage(bridge).hello();
    page.send({ type: "action", action: 1, name: "__proto__", params: {} });
    page.send({ type: "action", action: 2, name: "read-file", params: { key: 3 } });
    page.send({ type: "watch", watch: 3, topic: "constructor", params: {} });
    page.send({ type: "watch", watch: 4, topic: "output", params: { job: "none" } });
    await page.until(() => (page.received.length > 4 ? true : undefined));
    expect(page.received.slice(1)).toEqual(
      expect.arrayContaining([
        { type: "declined", action: 1, error: texts.thisBridgeDoesNotKnow },
        { type: "declined", action: 2, error: texts.invalidParametersForThis },
        { type: "failed", watch: 3, error: texts.thisBridgeDoesNotKnowThat },
        { type: "failed", watch: 4, error: texts.thisJobIsNotKnown },
      ]),
    );
    page.socket.send("{");
    expect(await page.closed).toMatchObject({ code: CloseReason.malformed });
  });
});

describe("the fleet on the wire", () => {
  it("is sent whole first, then as changes, and includes computers that left", async () => {
    const bridge = await startWireBridge();
    const { fake, socket } = await linkComputer(bridge.linkUrl, {
      computerId: 7,
      label: "<img src=x onerror=alert(1)>",
    });
    const page = await new WirePage(bridge).hello();
    const fleet = page.watch("fleet", {});
    const { rows } = await fleet.first(({ full }) => full);
    expect(rows).toMatchObject([
      { id: 7, label: "<img src=x onerror=alert(1)>", state: "live", runningJobs: 0 },
    ]);
    await linkComputer(bridge.linkUrl, { computerId: 8, label: "second" });
    const changed = await fleet.first(({ full, rows: news }) => !full && news.length > 0);
    expect(changed.rows).toMatchObject([{ id: 8 }]);
    expect(fake).toBeDefined();
    socket.terminate();
    const left = await fleet.first(({ rows: news }) => news.some(({ state }) => state === "away"));
    expect(left.rows).toMatchObject([{ id: 7, state: "away" }]);
    const later = await new WirePage(bridge).hello();
    const all = await later.watch("fleet", {}).first(({ full }) => full);
    expect(all.rows.map(({ id, state }) => [id, state])).toEqual([
      [8, "live"],
      [7, "away"],
    ]);
  });

  it("is not polled without viewers", async () => {
    const bridge = await startWireBridge();
    const page = await new WirePage(bridge).hello();
    const before = bridge.registry.changes.size;
    const fleet = page.watch("fleet", {});
    await fleet.first();
    expect(bridge.registry.changes.size).toBe(before + 1);
    page.socket.close();
    await page.closed;
    await expect.poll(() => bridge.registry.changes.size).toBe(before);
  });
});

describe("a viewer that reads slowly", () => {
  it("gets the newest state, and the bridge keeps no backlog for it", async () => {
    const bridge = await startWireBridge();
    const page = await new WirePage(bridge).hello();
    const fleet = page.watch("fleet", {});
    await fleet.first();
    page.socket.pause();
    const links = [];
    for (let id = 0; id < 100; id++) {
      links.push(linkComputer(bridge.linkUrl, { computerId: id, label: "x".repeat(120) }));
    }
    await Promise.all(links);
    page.socket.resume();
    await expect
      .poll(() => new Set(fleet.all().flatMap(({ rows }) => rows.map(({ id }) => id))).size)
      .toBe(100);
    expect(fleet.all().length).toBeLessThan(50);
  });
});

describe("the rights of a token", () => {
  const tokens = [
    "owner-token",
    "look-token name=guest mode=look",
    "core-token name=core tools=core",
    "ask-token name=helper mode=ask",
    "farm-token name=farmer computers=label:farm-*",
  ];

  it("hold for what a page does and watches", async () => {
    const bridge = await startWireBridge(tokenFile(...tokens));
    await linkComputer(bridge.linkUrl, { computerId: 1, label: "base" });
    const [key = ""] = [...bridge.registry.sessions()].map(({ provider }) => provider.key);
    const refusals: Record<string, RegExp> = {
      "look-token": /is read-only/,
      "core-token": /does not allow write-file/,
      "ask-token": /needs the approval of a person/,
      "farm-token": /not linked/,
    };
    for (const [token, refusal] of Object.entries(refusals)) {
      const page = await new WirePage(bridge).hello(token);
      const params = { key, path: "/x", content: "", expectedHash: "absent" };
      await expect(page.act("write-file", params), token).rejects.toThrow(refusal);
      await expect(page.act("decide", { id: "x", decision: "call" })).rejects.toThrow(/owner/);
      await expect(page.act("pair", { code: "x", accept: true })).rejects.toThrow(/owner/);
      await expect(page.act("end-session", { id: "x" })).rejects.toThrow(/owner/);
      expect((await page.watch("waiting", {}).failed()).error).toMatch(/owner/);
    }
    const core = await new WirePage(bridge).hello("core-token");
    expect((await core.watch("turtle", { key }).failed()).error).toContain("turtle-status");
    const farmer = await new WirePage(bridge).hello("farm-token");
    expect((await farmer.watch("fleet", {}).first()).rows).toEqual([]);
  });

  it("end with the token", async () => {
    const bridge = await startWireBridge(tokenFile(...tokens));
    const page = await new WirePage(bridge).hello("look-token");
    bridge.clients.replace([]);
    expect(await page.closed).toMatchObject({ code: CloseReason.token });
  });

  it("let no client act on a read-only bridge; calls that act are recorded", async () => {
    const looking = await startWireBridge({ readOnly: true });
    const page = await new WirePage(looking).hello();
    expect(page.received[0]).toMatchObject({ viewer: { mayAct: false } });
    const bridge = await startWireBridge();
    await linkComputer(bridge.linkUrl, { computerId: 1, label: "base" });
    const [key = ""] = [...bridge.registry.sessions()].map(({ provider }) => provider.key);
    const acting = await new WirePage(bridge).hello();
    const calls = acting.watch("activity", {});
    await calls.first();
    await acting.act("run-program", { key, command: "nothing" }).catch(() => {});
    const { calls: rows } = await calls.first((data) =>
      data.calls.some(({ tool, outcome }) => tool === "run-program" && outcome !== null),
    );
    expect(rows.find(({ tool }) => tool === "run-program")).toMatchObject({
      software: "dashboard",
      request: { command: "nothing" },
      acts: true,
    });
  });
});

describe("/metrics", () => {
  it("counts calls, links and sessions, for those with a token", async () => {
    const bridge = await startWireBridge({ mcpTokens: ["owner-token"] });
    const url = `http://127.0.0.1:${bridge.mcpPort}/metrics`;
    expect((await fetch(url)).status).toBe(401);
    await linkComputer(bridge.linkUrl, { computerId: 1, label: "base" });
    const headers = { Authorization: "Bearer owner-token" };
    const client = await connectClient(bridge.mcpUrl, headers);
    await callTool(client, "list-computers", {});
    const read = async () => (await fetch(url, { headers })).text();
    await expect.poll(read).toContain('ccbridge_calls_total{tool="list-computers",outcome="ok"} 1');
    const text = await read();
    expect(text).toContain('ccbridge_links{kind="computer"} 1');
    expect(text).toContain("ccbridge_sessions 1");
    expect(text).toContain('ccbridge_info{version="1.2.3"} 1');
    expect(text).not.toContain("owner-token");
  });

  it("do not name the tools that computers offer, which their reader may not see", async () => {
    const bridge = await startWireBridge(
      tokenFile("owner-token name=owner", "other-token name=other computers=-1"),
    );
    const programs = { "call-tool vault-code-1234": () => [] };
    const { fake } = await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    fake.send({ type: "tools", tools: [{ name: "vault-code-1234" }] });
    const owner = await connectClient(bridge.mcpUrl, { Authorization: "Bearer owner-token" });
    await callTool(owner, "probe-computers");
    await callTool(owner, "vault-code-1234");
    await callTool(owner, "vault_code_1234");
    await expect(callTool(owner, "no-such-tool")).rejects.toThrow("There is no tool");
    const url = `http://127.0.0.1:${bridge.mcpPort}/metrics`;
    const headers = { Authorization: "Bearer other-token" };
    const read = async () => (await fetch(url, { headers })).text();
    await expect.poll(read).toContain('ccbridge_calls_total{tool="probe-computers",outcome="ok"}');
    const text = await read();
    expect(text).not.toMatch(/vault|no-such-tool/);
    expect(text).toContain('ccbridge_calls_total{tool="offered",outcome="ok"} 2');
    const named = new Set([...text.matchAll(/tool="([^"]*)"/g)].map(([, name]) => name));
    expect([...named].sort()).toEqual(["offered", "probe-computers"]);
  });

  it("are the numbers that pages see", async () => {
    const bridge = await startWireBridge();
    const page = await new WirePage(bridge).hello();
    const numbers = page.watch("numbers", {});
    const { samples } = await numbers.first((data) => data.samples.length > 0);
    expect(samples[0]).toMatchObject({ links: 0, sessions: 0, callsPerSecond: 0.5 });
  });
});
