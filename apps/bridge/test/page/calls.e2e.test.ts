import { describe, expect, it, vi } from "vitest";
import { patience, sharedBrowser } from "../dashboard/browser.js";
import { startPageBridge } from "../dashboard/helpers.js";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { connectClient } from "../helpers/sdk-client.js";
import { SocketPage } from "./socket-page.js";

describe.skipIf(chromiumPath === undefined)(`the view of a page${chromiumNote}`, () => {
  const open = sharedBrowser();

  it("shows its own calls, not those of a page that had its place before", async () => {
    const bridge = await startPageBridge({ pagesOrigins: ["http://localhost:5173"] });
    const client = await connectClient(bridge.mcpUrl);
    const openTab = async (tab: string, tool: string) => {
      const page = await SocketPage.open(`${bridge.pagesUrl}/ws?tab=${tab}&name=Shop`);
      page.handlers.set(tool, () => "done");
      await page.register(tool);
      await client.callTool({ name: tool, arguments: {} });
      return page;
    };
    const first = await openTab("a", "buy");
    first.socket.close();
    await vi.waitFor(() => expect(bridge.pages.list()).toEqual([]));
    await openTab("b", "sell");
    const view = await open(bridge);
    await view.getByRole("link", { name: /^Shop/ }).click();
    const calls = view.locator("section[aria-labelledby=page-calls] summary b");
    await expect.poll(() => calls.allTextContents(), patience).toEqual(["sell"]);
  });
});
