import type { ToolSettings } from "@ccbridge/mcp-tools";
import type { LiveSettings } from "../config/live-settings.js";
import type { Config } from "../config/settings.js";
import { type CatalogueOptions, createCatalogue } from "./catalogue.js";
import {
  createServices,
  type McpServices,
  replaceCatalogue,
  type ServicesOptions,
} from "./handlers/session.js";
import { createHostFolders } from "./host-folders.js";

interface OpenServicesOptions
  extends Pick<ServicesOptions, "version" | "pipeline" | "providers" | "catalog" | "contextOf">,
    Omit<CatalogueOptions, "folders"> {
  config: Config;
  live: LiveSettings;
  settings: ToolSettings;
}

/** What all clients share. It follows what owners change: those whose list of tools is another then are notified. */
export function openServices(options: OpenServicesOptions): McpServices {
  const { config, live, settings, screenView, kinds, tools, ...more } = options;
  const hostFolders = createHostFolders(config.syncFolders);
  const parts = { folders: hostFolders.names, screenView, kinds, tools };
  const catalogue = () => createCatalogue({ ...config, ...live.values }, parts);
  const services = createServices({
    ...catalogue(),
    ...more,
    context: { settings, hostFolders },
  });
  live.subscribe(() => replaceCatalogue(services, catalogue()));
  return services;
}
