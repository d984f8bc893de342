import { SCREEN_VIEW_URI } from "@ccbridge/protocol/screen";
import type { Resource } from "../../../core/resource.js";

/** No network and no permissions: everything passes through the host. */
const ui = {
  csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
  permissions: {},
  prefersBorder: true,
};

const facts = {
  name: "screen-view",
  title: "A live screen",
  description:
    "The view that clients with MCP Apps show for read-screen and run-program: the screen as it changes, which " +
    "takes keys and clicks. It is for people, not for models.",
};

export function screenApp(readHtml: () => Promise<string>): Resource {
  return {
    ...facts,
    mimeType: "text/html;profile=mcp-app",
    shownBy: "read-screen",
    template: SCREEN_VIEW_URI,
    isApp: true,
    list: async () => [{ ...facts, uri: SCREEN_VIEW_URI, _meta: { ui } }],
    read: async () => ({ text: await readHtml(), _meta: { ui } }),
  };
}
