import { expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { stdioClient } from "../helpers/sdk-client.js";
import { SocketPage } from "./socket-page.js";

it("BTCP_SESSION_ID shows a client over stdio the pages of that session alone", async () => {
  const bridge = await startTestBridge({ pagesOrigins: ["http://localhost:5173"] });
  for (const session of ["s1", "s2"]) {
    const page = await SocketPage.open(`${bridge.pagesUrl}/ws?sessionId=${session}`);
    await page.register(`only_${session}`);
  }
  const { client } = await stdioClient({
    MCP_PORT: String(bridge.mcpPort),
    BTCP_SESSION_ID: "s1",
  });
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names.filter((name) => name.startsWith("only_"))).toEqual(["only_s1"]);
});
