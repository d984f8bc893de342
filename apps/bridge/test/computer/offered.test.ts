import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { linkGameComputer, startWorld } from "./helpers.js";

const door = `return {
  description = "Opens the door for a while.",
  input = { seconds = { type = "integer", description = "how long", minimum = 1, default = 2 } },
  run = function(args, context)
    redstone.setOutput("back", true)
    print("open for " .. args.seconds)
    return "closed again"
  end,
}
`;

it("a model writes a tool into the game and calls it a moment later by its name", async () => {
  const bridge = await startTestBridge();
  const world = await startWorld();
  const computer = await linkGameComputer(bridge, world);
  const client = await connectClient(bridge.mcpUrl);
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  expect(await names()).not.toContain("door");
  const onListChanged = vi.fn();
  client.setNotificationHandler(ToolListChangedNotificationSchema, onListChanged);

  const file = { computerId: 12, path: "/mcp-tools/door.lua" };
  await callTool(client, "write-file", { ...file, content: door });
  await vi.waitFor(() => expect(onListChanged).toHaveBeenCalled());
  expect(await names()).toContain("door");
  const opened = await callTool(client, "door", { seconds: 3 });
  expect(opened.text).toContain("open for 3");
  expect(opened.text).toContain("closed again");
  expect(computer.redstone.output("back")).toBe(15);

  const wrong = await callTool(client, "door", { seconds: "long" });
  expect(wrong.isError).toBe(true);
  expect(wrong.text).toContain('seconds must be an integer, not "long"');

  // For clients that never refresh the list.
  const listed = await callTool(client, "list-offered-tools");
  expect(listed.text).toContain(texts.doorOfferedInTheGame);
  const called = await callTool(client, "call-offered-tool", { name: "door", arguments: {} });
  expect(called.text).toContain("open for 2");

  onListChanged.mockClear();
  await callTool(client, "write-file", { ...file, content: "return {" });
  await vi.waitFor(() => expect(onListChanged).toHaveBeenCalled());
  expect(await names()).not.toContain("door");
  const broken = await callTool(client, "list-offered-tools");
  expect(broken.text).toMatch(/Not usable: .*door.* on computer 12/);
  expect((await callTool(client, "list-computers")).text).toContain("list-offered-tools says why");

  // The example that it shows is a tool.
  const content = broken.text.slice(broken.text.indexOf("return {\n"));
  await callTool(client, "write-file", { ...file, path: "/mcp-tools/greet.lua", content });
  await vi.waitFor(async () => expect(await names()).toContain("greet"));
  const greeted = await callTool(client, "greet", { player: "Ada" });
  expect(greeted.text).toContain("Hello, Ada");
});
