import type { CatalogOptions } from "@ccbridge/mcp-tools";
import type { Pages } from "@ccbridge/registry";
import { type Config, settings } from "../config/settings.js";
import type { PeerLog } from "../monitor/peer-log.js";

/** Reports offered tools that have no room in the list of tools: to the log, and to the page that offers them. */
export function unlistedTools(config: Config, pages: Pages, log: PeerLog): CatalogOptions {
  return {
    listedBytes: { total: config.offeredBytes, perProvider: config.offeredBytesPerProvider },
    onUnlisted(provider, tools) {
      const few = tools.slice(0, 20).join(", ") + (tools.length > 20 ? ", ..." : "");
      const message = `${tools.length} tools have no room in the list that clients see: ${few}. They can be called through call-offered-tool; ${settings.offeredBytes.env} makes room.`;
      log.warn({ address: provider, tools: tools.length, few }, "offered tools are not listed");
      pages.notify(provider, message);
    },
  };
}
