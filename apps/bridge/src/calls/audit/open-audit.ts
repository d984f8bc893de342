import { ConfigError } from "../../config/load.js";
import { type Config, settings } from "../../config/settings.js";
import type { Logger } from "../../monitor/log.js";
import { Audit } from "./audit.js";
import { AuditFile } from "./audit-file.js";
import type { Redact } from "./lines.js";

/** An unwritable file prevents the start. */
export function openAudit(config: Config, log: Logger, redact: Redact): Audit {
  const { auditFile: path, auditMaxBytes: maxBytes, auditKeep: keep } = config;
  const options = { log, all: config.audit === "all", required: config.auditRequired };
  if (path === "") {
    if (!options.required) return new Audit({ ...options, redact });
    throw new ConfigError(["CC_AUDIT_REQUIRED needs CC_AUDIT_FILE: there is nothing to write to"]);
  }
  try {
    return new Audit({ ...options, redact, file: new AuditFile({ path, maxBytes, keep }) });
  } catch (error) {
    const { env } = settings.auditFile;
    throw new ConfigError([`${env}: cannot open the file: ${(error as Error).message}`]);
  }
}
