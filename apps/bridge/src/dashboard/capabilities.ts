import { riskOf } from "@ccbridge/protocol/btcp";
import type { Pages } from "@ccbridge/registry";
import type { Audit } from "../calls/audit/audit.js";
import { sessionName } from "../calls/caller.js";
import type { DashboardServices } from "./context/services.js";

export function askedCapabilities(pages: Pages, audit: Audit): DashboardServices["capabilities"] {
  const requests = () =>
    pages
      .capabilityRequests()
      // A page that left has nothing to allow; if it comes back, its request is shown again.
      .filter(({ sites }) => sites.length > 0)
      .map((request) => ({ id: sessionName(request.session ?? ""), ...request }));
  return {
    list: () =>
      requests().map(({ id, at, sites, capabilities }) => ({
        id,
        at,
        pages: [...sites],
        capabilities: capabilities.map((name) => ({ name, risk: riskOf(name) })),
      })),
    decide({ id, capabilities, accept }, by) {
      const found = requests().find((request) => request.id === id);
      // Only what was requested and shown: the list may have changed since.
      const names = capabilities.filter((name) => found?.capabilities.includes(name));
      if (found === undefined || names.length === 0) return false;
      if (accept) pages.grant(found.session, names);
      else pages.dismissCapabilities(found.session, names);
      const event = accept ? "capabilities-granted" : "capabilities-declined";
      audit.note(event, { capabilities: names, by });
      return true;
    },
    subscribe: (listener) => pages.onCapabilityRequests(listener),
  };
}
