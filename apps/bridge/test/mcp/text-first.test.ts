import { describe, expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { connectClient } from "../helpers/sdk-client.js";

describe("answers by default", () => {
  it("are text alone, and no tool promises a structure", async () => {
    const { mcpUrl } = await startTestBridge({ structured: false });
    const client = await connectClient(mcpUrl);
    const { tools } = await client.listTools();
    for (const tool of tools) expect(tool, tool.name).not.toHaveProperty("outputSchema");
    const result = await client.callTool({ name: "list-computers", arguments: {} });
    expect(result).not.toHaveProperty("structuredContent");
    expect(result.content).toMatchObject([{ type: "text" }]);
  });

  it("carry their facts as structure for programs that ask for it", async () => {
    const { mcpUrl } = await startTestBridge({ structured: true });
    const client = await connectClient(mcpUrl);
    const { tools } = await client.listTools();
    const without = tools.filter(({ outputSchema }) => outputSchema === undefined);
    expect(without.map(({ name }) => name)).toEqual(["call-offered-tool"]);
    const result = await client.callTool({ name: "list-computers", arguments: {} });
    expect(result.structuredContent).toMatchObject({ total: 0 });
  });
});

describe("the tool list", () => {
  it("omits defaults", async () => {
    const { mcpUrl } = await startTestBridge({ structured: false });
    const client = await connectClient(mcpUrl);
    const { tools } = await client.listTools();
    const text = JSON.stringify(tools);
    expect(text).not.toMatch(
      /9007199254740991|"minLength":1\b|"additionalProperties":false|"\$schema"/,
    );
    for (const { name, annotations } of tools) {
      expect(annotations ?? {}, name).not.toMatchObject({ destructiveHint: true });
      if (annotations?.readOnlyHint) expect(annotations).not.toHaveProperty("destructiveHint");
    }
  });

  // Some clients truncate longer ones; every byte costs context in every conversation.
  it.each([
    ["all", 30_000],
    ["slim", 6_000],
  ] as const)("is short: %s", async (choice, most) => {
    const settings = {
      structured: false,
      tools: [choice],
      minecraftTokens: ["token"],
      pagesOrigins: ["http://localhost:5173"],
      syncFolders: ["scripts=/tmp"],
    };
    const options = { screenView: "/the/screen-view.html" };
    const { mcpUrl } = await startTestBridge(settings, undefined, options);
    const client = await connectClient(mcpUrl);
    const tools = (await client.listTools()).tools.map(
      ({ title: _, annotations: __, ...tool }) => tool,
    );
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(most);
  });

  it("offers sync-folder only where a folder is allowed, and names it", async () => {
    const described = async (syncFolders: string[]) => {
      const bridge = await startTestBridge({ syncFolders });
      const client = await connectClient(bridge.mcpUrl);
      const { tools } = await client.listTools();
      const { description } = tools.find(({ name }) => name === "sync-folder") ?? {};
      return { description, instructions: client.getInstructions() };
    };
    const none = await described([]);
    expect(none.description).toBeUndefined();
    expect(none.instructions).not.toContain("sync-folder");
    const some = await described(["scripts=/srv/scripts", "base=/srv/base"]);
    expect(some.description).toContain("Allowed: scripts, base.");
    expect(some.instructions).toContain("sync-folder");
  });

  it("asks Claude Code to load the five core tools at once", async () => {
    const { mcpUrl } = await startTestBridge({ structured: false });
    const client = await connectClient(mcpUrl);
    const { tools } = await client.listTools();
    const loaded = tools.filter(({ _meta }) => _meta?.["anthropic/alwaysLoad"] === true);
    expect(loaded.map(({ name }) => name).sort()).toEqual(
      ["cancel-job", "exec-lua", "get-job", "list-computers", "probe-computers"].sort(),
    );
  });
});
