import type { ChangeStore } from "@ccbridge/registry";
import type { Clients } from "../auth/clients.js";
import { readRateLimit } from "../auth/rights/rate-limit.js";
import type { LiveSettings } from "../config/live-settings.js";
import type { Config } from "../config/settings.js";
import type { Logger } from "../monitor/log.js";
import { Approvals } from "./approvals.js";
import { type Audit, openAudit } from "./audit/audit.js";
import type { Redact } from "./audit/record.js";
import { KeptResults } from "./kept-results.js";
import { Permissions } from "./permissions.js";
import { Pipeline } from "./pipeline.js";
import { Rates } from "./rates.js";

export interface Calls {
  audit: Audit;
  approvals: Approvals;
  permissions: Permissions;
  pipeline: Pipeline;
  rates: Rates;
  results: KeptResults;
}

export function openCalls(options: {
  config: Config;
  settings: LiveSettings;
  log: Logger;
  clients: Clients;
  secrets: { readonly redact: Redact };
  history: { readonly changes: ChangeStore };
}): Calls {
  const { config, settings, log, clients, secrets, history } = options;
  const audit = openAudit(config, log, secrets.redact);
  const approvals = new Approvals();
  const permissions = new Permissions();
  clients.onGone((gone) => permissions.revokeAllOf(gone));
  const rates = new Rates({
    rate: readRateLimit(config.computerRate),
    quota: readRateLimit(config.computerQuota),
  });
  const { changes } = history;
  const pipeline = new Pipeline({ audit, approvals, permissions, rates, settings, changes });
  return { audit, approvals, permissions, pipeline, rates, results: new KeptResults() };
}
