import { once } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer, upgradeStatus } from "../helpers/computer.js";
import { driveTime } from "../helpers/drive-time.js";
import { initialize, initializeBody, post } from "../helpers/http.js";

describe("guessing tokens", () => {
  it("of MCP becomes slow, for the right one too, but not for a session that is open", async () => {
    const bridge = await startTestBridge({ mcpTokens: ["right"] });
    const pass = driveTime();
    const right = { authorization: "Bearer right" };
    const session = await initialize(bridge.mcpUrl, right);
    const guess = (token: string) =>
      post(bridge.mcpUrl, {
        body: initializeBody,
        headers: { authorization: `Bearer ${token}` },
      });
    for (let tries = 0; tries < 30; tries++) await guess(`guess-${tries}`);
    const refused = await guess("right");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const call = await post(bridge.mcpUrl, { session, headers: right, body: ping });
    expect(call.status).toBe(200);
    pass(999);
    expect((await guess("right")).status).toBe(429);
    pass(1);
    expect((await guess("right")).status).toBe(200);
  });

  it("of the link becomes slow", async () => {
    const bridge = await startTestBridge({ linkTokens: ["right"] });
    driveTime();
    for (let tries = 0; tries < 25; tries++) {
      await linkComputer(bridge.linkUrl, { computerId: 1, token: `guess-${tries}` }).catch(
        () => {},
      );
    }
    expect(await upgradeStatus(bridge.linkUrl)).toBe(429);
    expect((await fetch(`http://127.0.0.1:${bridge.linkPort}/install.lua`)).status).toBe(200);
  });

  it("does not slow down a computer whose token was right before", async () => {
    const token = "a-token-of-some-length";
    const bridge = await startTestBridge({ linkTokens: [token] });
    driveTime();
    const { socket } = await linkComputer(bridge.linkUrl, { computerId: 1, token });
    for (let tries = 0; tries < 25; tries++) {
      await linkComputer(bridge.linkUrl, { computerId: 2, token: `guess-${tries}` });
    }
    socket.close();
    await once(socket, "close");
    await vi.waitFor(() => expect(bridge.registry.size).toBe(0));
    const again = await linkComputer(bridge.linkUrl, { computerId: 1, token });
    await expect(again.fake.welcomed).resolves.toMatchObject({ type: "hello-ok" });
    // The others wait, and may try again later: an unchecked token may be right.
    const guess = await linkComputer(bridge.linkUrl, { computerId: 2, token: "another-guess" });
    await expect(guess.fake.welcomed).rejects.toThrow("Try again later");
    expect((await guess.closed).code).toBe(4_429);
  });

  it("does not slow down a client whose token was right before", async () => {
    const token = "a-token-of-some-length";
    const bridge = await startTestBridge({ mcpTokens: [token] });
    driveTime();
    const open = (shown: string) =>
      post(bridge.mcpUrl, {
        body: initializeBody,
        headers: { authorization: `Bearer ${shown}` },
      });
    expect((await open(token)).status).toBe(200);
    for (let tries = 0; tries < 30; tries++) await open(`guess-${tries}`);
    expect((await open("another-guess-of-length")).status).toBe(429);
    expect((await open(token)).status).toBe(200);
  });

  it("is forgotten with time, and addresses beyond a bound are too", async () => {
    const { GuessLimiter } = await import("../../src/auth/guess-limiter.js");
    let now = 0;
    const guesses = new GuessLimiter(() => now);
    for (let tries = 0; tries < 20; tries++) guesses.failed("192.0.2.1");
    expect(guesses.waitMs("192.0.2.1")).toBe(1_000);
    now = 1_000;
    expect(guesses.waitMs("192.0.2.1")).toBe(0);
    for (let other = 0; other < 5_000; other++) guesses.failed(`10.0.${other >> 8}.${other & 255}`);
    expect(guesses.waitMs("192.0.2.1")).toBe(0);
  });

  it("passes the last tokens that were right at an address, and there alone", async () => {
    const { GuessLimiter } = await import("../../src/auth/guess-limiter.js");
    const guesses = new GuessLimiter(() => 0);
    const token = (n: number) => `token-number-${String(n).padStart(8, "0")}`;
    for (let n = 0; n < 100; n++) guesses.passed("192.0.2.1", token(n));
    for (const address of ["192.0.2.1", "192.0.2.2"]) {
      for (let tries = 0; tries < 20; tries++) guesses.failed(address);
    }
    expect(guesses.waitMs("192.0.2.1", token(99))).toBe(0);
    expect(guesses.waitMs("192.0.2.1", token(0))).toBeGreaterThan(0);
    expect(guesses.waitMs("192.0.2.1")).toBeGreaterThan(0);
    expect(guesses.waitMs("192.0.2.2", token(99))).toBeGreaterThan(0);
    expect(guesses.connectWaitMs("192.0.2.1", undefined)).toBe(0);
    expect(guesses.connectWaitMs("192.0.2.2", undefined)).toBeGreaterThan(0);
    guesses.passed("192.0.2.2", "right");
    expect(guesses.waitMs("192.0.2.2", "right")).toBeGreaterThan(0);
  });
});
