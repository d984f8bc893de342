// Whatever several clients do to files: every earlier point comes back, byte for byte, also after restarts.
import { join } from "node:path";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { bearer, startWithTokens } from "../calls/helpers.js";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { edit, snapshot, undoSince } from "./undo-scene.js";

it("random edits of several clients are undone to any earlier point", async () => {
  const tokens =
    "t-owner name=owner\nt-one name=one rate=90000/min\nt-two name=two rate=90000/min\n";
  const bridge = await startWithTokens(tokens, {
    ...{ history: "on", historyFile: join(scratchDirectory(), "history.db") },
  });
  const world = await startWorld();
  const computer = await linkGameComputer(bridge, world, { id: 12 });
  const connect = (token: string) => connectClient(bridge.mcpUrl, bearer(token));
  const owner = await connect("t-owner");
  const clients = [owner, await connect("t-one"), await connect("t-two")];
  const disk = computer.fs;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(edit, fc.nat(2)), { minLength: 1, maxLength: 12 }),
      fc.nat(11),
      async (edits, back) => {
        const points: { at: number; files: Record<string, string> }[] = [];
        for (const [[tool, args], by] of edits) {
          points.push({ at: await nextMillisecond(), files: snapshot(disk) });
          const client = clients[by] ?? owner;
          await callTool(client, tool, { computerId: 12, ...args });
        }
        const point = points[Math.min(back, points.length - 1)];
        if (point === undefined) return;
        await undoSince(owner, point.at);
        expect(snapshot(disk)).toEqual(point.files);
      },
    ),
    { numRuns: 25 },
  );
});

/** Times of changes have milliseconds: what comes after this has a later one. */
async function nextMillisecond(): Promise<number> {
  const now = Date.now();
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(now), { interval: 1 });
  return Date.now();
}
