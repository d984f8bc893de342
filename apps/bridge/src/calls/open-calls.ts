import type { Clients } from "../auth/clients.js";
import { readAllowance } from "../auth/rights/allowance.js";
import type { Config } from "../config/settings.js";
import type { Logger } from "../monitor/log.js";
import { Approvals } from "./approvals.js";
import { type Audit, openAudit } from "./audit/audit.js";
import type { Redact } from "./audit/record.js";
import { Permissions } from "./permissions.js";
import { Pipeline } from "./pipeline.js";
import { Rates } from "./rates.js";

export interface Calls {
  audit: Audit;
  approvals: Approvals;
  permissions: Permissions;
  pipeline: Pipeline;
  rates: Rates;
}

export function openCalls(options: {
  config: Config;
  log: Logger;
  clients: Clients;
  redact: Redact;
}): Calls {
  const { config, log, clients, redact } = options;
  const audit = openAudit(config, log, redact);
  const approvals = new Approvals();
  const permissions = new Permissions();
  clients.onGone((gone) => permissions.revokeAllOf(gone));
  const rates = new Rates({
    rate: readAllowance(config.computerRate),
    quota: readAllowance(config.computerQuota),
  });
  const { readOnly } = config;
  const pipeline = new Pipeline({ audit, approvals, permissions, rates, readOnly });
  return { audit, approvals, permissions, pipeline, rates };
}
