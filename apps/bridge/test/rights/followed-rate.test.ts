import { expect, it } from "vitest";
import { linkGameComputer, startWorld } from "../game/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

it("following a screen or a file counts towards the rate of its computer", async () => {
  const bridge = await startTestBridge({ computerRate: "2/h" });
  const world = await startWorld();
  await linkGameComputer(bridge, world, { files: { "/a.lua": "" } });
  const client = await connectClient(bridge.mcpUrl);
  // What only the bridge keeps costs the computer nothing.
  await client.subscribeResource({ uri: "cc://computers/12/events" });
  await client.subscribeResource({ uri: "cc://computers/12/screen" });
  await client.subscribeResource({ uri: "cc://computers/12/files/a.lua" });
  expect((await callTool(client, "list-files", { computerId: 12 })).text).toContain("used up");
});
