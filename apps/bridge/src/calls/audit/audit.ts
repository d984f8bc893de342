import { LinkErrorCode, printable, type Registry, type RegistryChange } from "@ccbridge/registry";
import { ConfigError } from "../../config/load.js";
import { type Config, settings } from "../../config/settings.js";
import type { Logger } from "../../monitor/log.js";
import { WindowedRate } from "../../monitor/peer-log.js";
import { AuditFile } from "./audit-file.js";
import {
  type AuditLine,
  type AuditOutcome,
  type CallBeginning,
  type CallRecord,
  lineAfter,
  lineBefore,
  OpenRecord,
  type Redact,
} from "./record.js";
import { Trail } from "./trail.js";

/** The call must not run, because it cannot be recorded. */
export class AuditError extends Error {
  override readonly name = "AuditError";
}

export interface AuditOptions {
  log: Logger;
  /** Without a file, calls are only kept in memory. */
  file?: AuditFile | undefined;
  /** Whether read-only calls are written too. */
  all?: boolean;
  /** Whether a call that cannot be recorded is refused. */
  required?: boolean;
  redact?: Redact;
}

/** Lines of one kind per ten seconds, for events that peers cause. */
const MAX_NOTES = 100;
const MAX_LOGGED_CALLS = 1_000;
const MAX_LOGGED_FAULTS = 1;

export class Audit {
  readonly trail = new Trail();
  readonly #options: AuditOptions;
  readonly #notes = new WindowedRate(MAX_NOTES, (event, suppressed) =>
    this.#write({ time: new Date().toISOString(), event, suppressed }),
  );
  readonly #logged: WindowedRate;
  readonly #faults: WindowedRate;
  readonly #redact: Redact;
  #calls = 0;

  constructor(options: AuditOptions) {
    this.#options = options;
    this.#redact = options.redact ?? ((text) => text);
    const { log } = options;
    this.#logged = new WindowedRate(MAX_LOGGED_CALLS, (_, suppressed) =>
      log.info({ suppressed }, "further calls not logged"),
    );
    this.#faults = new WindowedRate(MAX_LOGGED_FAULTS, () => {});
  }

  /** Continues after the calls of an earlier process, oldest first. */
  restore(records: readonly CallRecord[]): void {
    for (const record of records) this.trail.add(record);
    this.#calls = Math.max(0, ...records.map(({ id }) => id));
  }

  begin(call: CallBeginning): OpenRecord {
    this.#calls += 1;
    const record = new OpenRecord(this.#calls, call, this.#redact);
    this.trail.add(record);
    return record;
  }

  writes({ acts }: CallRecord): boolean {
    return this.#options.file !== undefined && (acts || this.#options.all === true);
  }

  /** Call before the tool runs. Throws an {@link AuditError} when the call must be refused. */
  before(record: OpenRecord, args: unknown): void {
    this.trail.notify(record);
    if (!this.writes(record)) return;
    const problem = this.#write(lineBefore(record, args, this.#redact));
    if (problem === undefined || this.#options.required !== true) return;
    throw new AuditError(
      `The bridge cannot write its audit file (${problem}), and makes no call that is not in it (CC_AUDIT_REQUIRED).`,
    );
  }

  reached(record: OpenRecord, key: string, name: string): void {
    record.keys.push(key);
    record.providers.push(printable(name));
  }

  waits(record: OpenRecord, waits: boolean): void {
    record.waits = waits;
    this.trail.notify(record);
  }

  /** A failure here must not change the response: the call has already run. */
  end(record: OpenRecord, outcome: AuditOutcome, answer: string | undefined): void {
    try {
      record.end(outcome, answer);
      this.trail.notify(record);
      if (this.writes(record)) this.#write(lineAfter(record));
      if (record.acts) this.#logCall(record);
    } catch (error) {
      this.#fault(error as Error);
    }
  }

  /** Records an event that is not a call, such as a link. Rate-limited, because peers cause these. */
  note(event: string, facts: AuditLine): void {
    if (this.#options.file === undefined || !this.#notes.passes(event)) return;
    this.#write({ time: new Date().toISOString(), event, ...facts });
  }

  reopen(): void {
    try {
      this.#options.file?.reopen();
    } catch (error) {
      this.#fault(error as Error);
    }
  }

  close(): void {
    this.#notes.flush();
    this.#logged.flush();
    this.#options.file?.close();
  }

  #write(line: AuditLine): string | undefined {
    try {
      this.#options.file?.write(line);
      return undefined;
    } catch (error) {
      this.#fault(error as Error);
      const { code, message } = error as NodeJS.ErrnoException;
      return code ?? message;
    }
  }

  #fault({ message }: Error): void {
    if (this.#faults.passes("fault")) {
      this.#options.log.error({ reason: message }, "the audit file cannot be written");
    }
  }

  #logCall(record: CallRecord): void {
    const { trace, client, tool, providers, job, outcome, durationMs } = record;
    const { log } = this.#options;
    if (!log.isLevelEnabled("info") || !this.#logged.passes("call")) return;
    log.info({ trace, client, tool, providers, job, outcome, durationMs }, "call");
  }
}

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

export function auditChanges({ changes }: Registry, audit: Audit): void {
  changes.subscribe(
    (change) => {
      switch (change.topic) {
        case "linked":
          if (change.again) return;
          return audit.note("linked", about(change));
        case "unlinked":
          return audit.note(change.code === LinkErrorCode.replaced ? "takeover" : "unlinked", {
            ...about(change),
            reason: change.reason,
          });
        case "refused":
          return audit.note("link-refused", {
            address: change.origin.address,
            reason: change.reason,
          });
      }
    },
    { topics: ["linked", "unlinked", "refused"] },
  );
}

function about({ provider, origin }: Extract<RegistryChange, { topic: "linked" | "unlinked" }>) {
  return { provider: provider.name, key: provider.key, address: origin.address };
}
