import { expect, it } from "vitest";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { initialize, initializeBody, post } from "../helpers/http.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { heldBytes, rawSocket, unreadStream } from "./helpers.js";

const HOSTILE_MS = 8_000;
/** What the bridge may hold more than before: the bound on unread bytes and some room. */
const MAX_GROWTH = 96 * 1_024 * 1_024;

/** Sends calls down one connection after the other, and reads none of the answers. */
async function floodUnread(bridge: TestBridge): Promise<void> {
  const session = await initialize(bridge.mcpUrl);
  const socket = await rawSocket(bridge.mcpPort);
  socket.pause();
  for (let id = 0; id < 200; id++) {
    const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list" });
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${bridge.mcpPort}\r\nAccept: application/json\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
        `Mcp-Session-Id: ${session}\r\n\r\n${body}`,
    );
  }
}

const attacks: ((bridge: TestBridge) => Promise<unknown>)[] = [
  floodUnread,
  // Sessions, with and without a stream.
  async (bridge) => unreadStream(bridge.mcpPort, await initialize(bridge.mcpUrl)),
  (bridge) => initialize(bridge.mcpUrl),
  // Batches, large and small, and what is not JSON.
  (bridge) => post(bridge.mcpUrl, { body: `[${"1,".repeat(500_000)}1]` }),
  (bridge) => post(bridge.mcpUrl, { body: "[".repeat(1_000_000) }),
  (bridge) => post(bridge.mcpUrl, { body: { ...initializeBody, stray: "x".repeat(1_000_000) } }),
  // Calls that wait, from a client that hangs up at once.
  async (bridge) => {
    const session = await initialize(bridge.mcpUrl);
    const calls = Array.from({ length: 30 }, (_, id) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "exec-lua", arguments: { computerId: 2, code: "wait", waitMs: 50_000 } },
    }));
    await fetch(bridge.mcpUrl, {
      method: "POST",
      signal: AbortSignal.timeout(20),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": session,
      },
      body: JSON.stringify(calls),
    }).catch(() => {});
  },
  // Connections that say nothing.
  (bridge) => rawSocket(bridge.mcpPort),
];

// Memory is measured beside whatever else the machine does, so one bad measurement is not the last word.
it("a hostile client costs the bridge bounded memory, and others nothing", {
  retry: 2,
  timeout: 120_000,
}, async () => {
  const bridge = await startTestBridge({ maxSessions: 64, mcpMaxPerAddress: 2_048 });
  await linkComputer(bridge.linkUrl, { computerId: 1 });
  await linkComputer(bridge.linkUrl, {
    computerId: 2,
    programs: { wait: () => new Promise(() => {}) },
  });
  const client = await connectClient(bridge.mcpUrl);
  const call = () => callTool(client, "exec-lua", { computerId: 1, code: "1 + 1", waitMs: 20_000 });
  await call();
  const before = await heldBytes();

  const end = performance.now() + HOSTILE_MS;
  let right = 0;
  const good = async () => {
    while (performance.now() < end) {
      expect((await call()).text).toContain("Returned: 2");
      right += 1;
    }
  };
  const bad = async (attack: (typeof attacks)[number]) => {
    while (performance.now() < end) {
      // Refused or not: only what it costs matters.
      await attack(bridge).catch(() => {});
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all([good(), ...attacks.map(bad)]);
  expect(right).toBeGreaterThan(0);
  expect((await call()).text).toContain("Returned: 2");
  expect((await heldBytes()) - before).toBeLessThan(MAX_GROWTH);
});
