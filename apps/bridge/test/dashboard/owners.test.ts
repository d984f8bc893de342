import { join } from "node:path";
import { expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { linkComputer } from "../helpers/computer.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { startWireBridge, tokenFile, WirePage } from "./helpers.js";

async function powersOf(words: string) {
  const bridge = await startWireBridge({
    ...tokenFile("other-token name=other", `the-token name=me ${words}`),
    pairing: "on",
    pairingFile: join(scratchDirectory(), "paired.json"),
  });
  await linkComputer(bridge.linkUrl, { computerId: 1 });
  const other = await connectClient(bridge.mcpUrl, { Authorization: "Bearer other-token" });
  await callTool(other, "exec-lua", { computerId: 1, code: "return 1" });
  const page = await new WirePage(bridge).hello("the-token");
  const welcome = page.received.find((message) => message.type === "welcome");
  const { calls } = await page.watch("activity", {}).first();
  const pairing = await fetch(new URL("/pairing", bridge.mcpUrl), {
    headers: { Authorization: "Bearer the-token" },
  });
  const decided = await page
    .act("decide", { id: "x", decision: "call" })
    .catch((error: Error) => error.message);
  return {
    mayDecide: welcome?.type === "welcome" && welcome.viewer.mayDecide,
    seesOthers: calls.some(({ client }) => client === "other"),
    pairing: pairing.status,
    decided,
  };
}

it.each([
  "mode=look",
  "mode=ask",
  "tools=core",
  "computers=*",
  "rate=300/min",
  "quota=5000/day",
  "until=2999-12-31",
  "allow=give_item rate=300/min",
])("a token with %s decides nothing for others", async (words) => {
  expect(await powersOf(words)).toEqual({
    mayDecide: false,
    seesOthers: false,
    pairing: 403,
    decided: expect.stringContaining(texts.isForTheBridge),
  });
});

it.each(["", "mode=all", "allow=give_item"])("a token with %j is an owner's", async (words) => {
  expect(await powersOf(words)).toEqual({
    mayDecide: true,
    seesOthers: true,
    pairing: 200,
    decided: expect.stringContaining("does not wait"),
  });
});
