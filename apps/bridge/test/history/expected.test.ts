// Shortly after a start not all computers are back: the list says who is expected.

import { join } from "node:path";
import { expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startWithTokens } from "../calls/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

it("list-computers names those that were linked when the bridge stopped, and no others", async () => {
  const settings = { history: "on", historyFile: join(scratchDirectory(), "h.db") } as const;
  const tokens = "t-owner name=owner\nt-kim name=kim computers=label:gate\n";
  const first = await startWithTokens(tokens, settings);
  const link = (url: string, computerId: number, label: string) =>
    linkComputer(url, { computerId, label, instance: `i${computerId}` });
  const left = await link(first.linkUrl, 1, "left before");
  await link(first.linkUrl, 2, "gate");
  await link(first.linkUrl, 3, "miner");
  left.socket.close();
  await left.closed;
  await expect.poll(() => first.computers.list().length).toBe(2);
  await first.close();

  const second = await startWithTokens(tokens, settings);
  const listed = async (token: string) =>
    (await callTool(await second.connect(token), "list-computers")).text;
  const none = await listed("t-owner");
  expect(none).toMatch(/^No computers connected\. This bridge started \d+ s ago\. /);
  expect(none).toContain("2 (Label: gate), 3 (Label: miner)");
  expect(none).not.toMatch(/left before|wget/);
  expect(await listed("t-kim")).not.toContain("miner");
  await link(second.linkUrl, 2, "gate");
  const one = await listed("t-owner");
  expect(one).toContain(texts.expectedBackWithinA);
  await link(second.linkUrl, 3, "miner");
  expect(await listed("t-owner")).not.toContain("expected");
});

it("a bridge that knows no past still says that it has just started", async () => {
  const bridge = await startTestBridge();
  const { text } = await callTool(await connectClient(bridge.mcpUrl), "list-computers");
  expect(text).toMatch(new RegExp(texts.startedSAgoComputers));
  expect(text).toContain("wget run");
});
