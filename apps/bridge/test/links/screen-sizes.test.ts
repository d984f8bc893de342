import { expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { linkHostile, result } from "../helpers/hostile-computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

it.each([
  [9e15, 1],
  [3_000, 3_000],
  [51, 19],
])("a screen of %d x %d that is none costs nothing but its own call", async (width, height) => {
  const bridge = await startTestBridge();
  await linkHostile(bridge.linkUrl, { methods: ["read-screen"] }, ({ id }, computer) =>
    computer.send(
      result(id, {
        screen: {
          width,
          height,
          cursor: { x: 1, y: 1 },
          text: " ",
          foreground: "0",
          background: "f",
          palette: Array.from({ length: 16 }, () => "ffffff"),
        },
      }),
    ),
  );
  const client = await connectClient(bridge.mcpUrl);
  const before = process.cpuUsage();
  const { isError } = await callTool(client, "read-screen", { computerId: 1, image: true });
  expect(isError).toBe(true);
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});
