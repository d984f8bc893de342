import { noNats } from "@ccbridge/cluster/testing";
import { describe, expect, it } from "vitest";
import { linkComputer } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { startCluster } from "./start-cluster.js";

describe.skipIf(noNats !== undefined)(`two bridges${noNats ? ` (${noNats})` : ""}`, () => {
  it("serve the computers of both to a client of one", async () => {
    const [a, b] = await startCluster({}, {});
    const programs = { "return 1": () => [{ type: "number", value: 1 }] };
    await linkComputer(b.linkUrl, { computerId: 12, label: "far", programs });
    const client = await connectClient(a.mcpUrl);
    await expect.poll(async () => (await callTool(client, "list-computers")).text).toContain("far");
    const { text, isError } = await callTool(client, "exec-lua", {
      computerId: 12,
      code: "return 1",
    });
    expect(isError).not.toBe(true);
    expect(text).toContain("1");
  });
});
