import { approveComputer, pageTools, selectTools, toolGroups } from "@ccbridge/mcp-tools";
import { describe, expect, it } from "vitest";
import { toolEntry } from "../../src/mcp/handlers/tool-entry.js";
import { startTestBridge } from "../helpers/bridge.js";
import { connectClient } from "../helpers/sdk-client.js";

interface Schema {
  type?: string;
  maximum?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

/** The numbers of a schema, those inside steps and lists too. */
function numbersIn(
  schema: Schema,
  where: string,
): { where: string; argument: string; maximum: number | undefined }[] {
  const { type, maximum, properties = {}, items, anyOf = [] } = schema;
  const isNumber = type === "integer" || type === "number";
  const argument = where.slice(where.lastIndexOf(".") + 1);
  return [
    ...(isNumber ? [{ where, argument, maximum }] : []),
    ...Object.entries(properties).flatMap(([name, each]) => numbersIn(each, `${where}.${name}`)),
    ...[...anyOf, ...(items === undefined ? [] : [items])].flatMap((each) =>
      numbersIn(each, where),
    ),
  ];
}

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
  });

  it("says how much is possible, and the unit of what has one", async () => {
    const { mcpUrl } = await startTestBridge({ structured: false, minecraftTokens: ["token"] });
    const { tools } = await (await connectClient(mcpUrl)).listTools();
    // Places, counts that only grow, and what the provider bounds.
    const open =
      /^(x|y|z|radius|x1|x2|y1|y2|z1|z2|cursor|offset|fromLine|startLine|endLine|computerId|provider|chatBy|screen|toComputer|exitCode)$/;
    const numbers = tools.flatMap(({ name, inputSchema }) =>
      numbersIn(inputSchema as Schema, name),
    );
    expect(numbers.length).toBeGreaterThan(30);
    const unbounded = numbers.filter(
      ({ argument, maximum }) => maximum === undefined && !open.test(argument),
    );
    expect(unbounded.map(({ where }) => where)).toEqual([]);
    const times = numbers.filter(({ argument }) => /wait|timeout|pulse|every/i.test(argument));
    for (const { where } of times) expect(where).toMatch(/Ms$/);
  });

  it("has a title and the three hints of every tool, as directories ask", async () => {
    const { mcpUrl } = await startTestBridge({
      structured: false,
      minecraftTokens: ["token"],
      pagesOrigins: ["http://localhost:5173"],
    });
    const { tools } = await (await connectClient(mcpUrl)).listTools();
    for (const { name, title, annotations } of tools) {
      expect(title, name).toEqual(expect.any(String));
      const { readOnlyHint, destructiveHint, openWorldHint } = annotations ?? {};
      const hints = [readOnlyHint, destructiveHint, openWorldHint];
      expect(hints, name).toEqual([expect.any(Boolean), expect.any(Boolean), expect.any(Boolean)]);
      expect(readOnlyHint && destructiveHint, name).toBe(false);
    }
    const hintsOf = (name: string) => tools.find((tool) => tool.name === name)?.annotations;
    expect(hintsOf("list-computers")).toMatchObject({ readOnlyHint: true, openWorldHint: false });
    expect(hintsOf("delete-file")).toMatchObject({ destructiveHint: true });
    expect(hintsOf("exec-lua")).toMatchObject({ destructiveHint: true, openWorldHint: true });
    expect(hintsOf("create-alert")).toMatchObject({ destructiveHint: false, openWorldHint: true });
  });

  // Some clients truncate longer ones; every byte costs context in every conversation.
  it.each([
    ["all", [], 30_000],
    ["all", ["token"], 36_000],
    ["slim", [], 6_000],
  ] as const)("is short: %s, for servers with %j", async (choice, minecraftTokens, most) => {
    const settings = {
      structured: false,
      tools: [choice],
      minecraftTokens: [...minecraftTokens],
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

  it("is short with what is listed now and then, too", () => {
    const sometimes = { folders: ["scripts"], screenView: true };
    const entries = [...selectTools(["all"], sometimes), ...pageTools, approveComputer]
      .filter((tool) => !toolGroups.minecraft.some(({ name }) => name === tool.name))
      .map((tool) => toolEntry(tool, { structured: false }))
      .map(({ title: _, annotations: __, ...entry }) => entry);
    expect(entries.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["get-history", "permissions", "sync-folder"]),
    );
    expect(Buffer.byteLength(JSON.stringify({ tools: entries }))).toBeLessThanOrEqual(30_000);
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
