import type { Registry } from "@ccbridge/registry";
import type { Clients } from "../auth/clients.js";
import type { Config } from "../config/settings.js";
import { Alerts } from "./alerts.js";
import { Webhooks } from "./webhooks.js";

export function openAlerts({
  config: { alertWebhookHosts: hosts },
  clients,
  registry: { events },
}: {
  config: Config;
  clients: Clients;
  registry: Registry;
}): Alerts {
  return new Alerts({
    clients,
    webhooks: new Webhooks({ hosts }),
    endOf: (key) => events.get(key)?.log.end,
  });
}
