import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { heldBytes } from "../helpers/abuse.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { secondAddress } from "../helpers/second-address.js";

const HOSTILE_MS = 30_000;
const MAX_GROWTH = 96 * 1_024 * 1_024;

/** Starts the hostile client; resolves when its attacks are done, while it still holds its connections. */
async function attack(port: number): Promise<{ made: number }> {
  const program = fileURLToPath(new URL("../helpers/hostile-client.mjs", import.meta.url));
  const child = fork(program, [String(port), String(HOSTILE_MS)], { execArgv: [] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [ended] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => {
      throw new Error(`the hostile client ended with ${code}`);
    }),
  ]);
  return ended as { made: number };
}

// It attacks from a second address.
it.skipIf(secondAddress === undefined)(
  "a hostile client costs the bridge bounded memory, and others nothing",
  async () => {
    const bridge = await startTestBridge({ maxSessions: 64 });
    await linkComputer(bridge.linkUrl, { computerId: 1 });
    await linkComputer(bridge.linkUrl, {
      computerId: 2,
      programs: { wait: () => new Promise(() => {}) },
    });
    const client = await connectClient(bridge.mcpUrl);
    const call = () =>
      callTool(client, "exec-lua", { computerId: 1, code: "1 + 1", waitMs: 20_000 });
    await call();
    const before = await heldBytes();

    let through = false;
    let right = 0;
    const good = async () => {
      while (!through) {
        const { text } = await call();
        expect(text).toContain("Returned: 2");
        right += 1;
      }
    };
    const bad = async () => {
      const { made } = await attack(bridge.mcpPort);
      through = true;
      return made;
    };
    const [made] = await Promise.all([bad(), good()]);
    expect(made).toBeGreaterThan(100);
    expect(right).toBeGreaterThan(10);
    expect((await call()).text).toContain("Returned: 2");
    expect((await heldBytes()) - before).toBeLessThan(MAX_GROWTH);
  },
);
