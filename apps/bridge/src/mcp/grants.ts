import type { Pages } from "@ccbridge/registry";
import { approvalsFor } from "../auth/pairing/open-pairing.js";
import type { Pairing } from "../auth/pairing/pairing.js";
import { isOwner } from "../auth/rights/client.js";
import type { Permissions } from "../calls/permissions.js";
import { takesPages } from "../config/listeners.js";
import type { Config } from "../config/settings.js";
import type { ServerPolicies } from "../links/server-policy.js";
import type { McpServices } from "./server/session.js";

export interface GrantSources {
  config: Config;
  pages: Pages;
  pairing: Pairing | undefined;
  permissions: Permissions;
  serverPolicies: ServerPolicies;
}

export function grantsFrom(sources: GrantSources): McpServices["grants"] {
  const { config, pages, pairing, permissions, serverPolicies } = sources;
  return ({ client, pageSession }) => ({
    servers: serverPolicies.of(client),
    ...(takesPages(config) ? { capabilities: pages.desk(pageSession) } : {}),
    pairing: approvalsFor(client, pairing),
    ...(isOwner(client) ? { permissions } : {}),
  });
}
