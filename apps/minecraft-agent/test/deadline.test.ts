import { deadlineOf, decodeFrame, type Frame, stepsOf } from "@ccbridge/protocol/minecraft";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Requests } from "../src/link/requests.js";
import { startScene } from "./harness.js";
import { silent } from "./silent.js";

const never = new Promise<void>(() => {});

describe("the deadline of a request", () => {
  it("follows the bridge's timeout, which comes with the answer to the hello", async () => {
    const { server, bridge } = await startScene({ timeoutMs: 600 });
    server.rcon.stall = never;
    const asked = performance.now();
    expect(await bridge.call("get_online_players")).toMatchObject({
      ok: false,
      code: "TIMEOUT",
    });
    expect(performance.now() - asked).toBeGreaterThan(stepsOf(600) - 50);
  });

  it("is that of RCON too: a server that lags for longer than a connection may take is awaited", async () => {
    const times = { rconTimeoutMs: 100, logPollMs: 5, retryFirstMs: 60_000 };
    const { server, bridge } = await startScene({ timeoutMs: 60_000, times });
    server.rcon.stall = new Promise((resolve) => setTimeout(resolve, 400));
    expect(await bridge.call("get_online_players")).toMatchObject({ ok: true });
  });

  describe("however long the bridge waits", () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it.each([1_000, 30_000, 60_000, 600_000])("%d ms", async (timeoutMs) => {
      const sent: Frame[] = [];
      const requests = new Requests({
        log: silent,
        serve: () => new Promise(() => {}),
        send: (text) => {
          const decoded = decodeFrame(text, "minecraft");
          if (decoded.ok) sent.push(decoded.frame);
        },
      });
      requests.timeoutMs = timeoutMs;
      const head = { version: "1.0.0", id: "a", timestamp: 0, source: "mcp" } as const;
      requests.receive({ ...head, type: "query", payload: { query: "get_world_info", args: {} } });
      await vi.advanceTimersByTimeAsync(deadlineOf(timeoutMs) - 1);
      expect(sent).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(sent).toMatchObject([{ outcome: { ok: false, code: "TIMEOUT" } }]);
      expect(deadlineOf(timeoutMs)).toBeLessThan(timeoutMs);
      expect(stepsOf(timeoutMs)).toBeLessThan(deadlineOf(timeoutMs));
    });
  });
});
