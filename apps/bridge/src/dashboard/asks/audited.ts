import { AuditError } from "../../audit/audit.js";
import { ViewError } from "../sight/error.js";
import type { Office } from "../sight/office.js";
import type { Sight } from "../sight/sight.js";

export interface AuditedAct {
  readonly tool: string;
  readonly params: Record<string, unknown>;
  readonly sight: Sight;
  readonly office: Office;
  readonly session: string;
}

/** Does what a page asks for, and has it written down as the calls of clients are. */
export async function audited<T>(act: AuditedAct, run: () => Promise<T>): Promise<T> {
  const { tool, params, sight, session } = act;
  const { audit } = act.office;
  const { key, ...args } = params;
  const client = sight.client.name;
  const facts = { client, software: "dashboard", session, tool, acts: true, args };
  const record = audit.begin(facts);
  if (typeof key === "string") {
    const name = sight.watched.fleet.rows.get(key)?.name ?? "a provider";
    audit.reached(record, key, name);
  }
  try {
    audit.before(record, args);
  } catch (error) {
    if (!(error instanceof AuditError)) throw error;
    audit.end(record, "refused", error.message);
    throw new ViewError(error.message);
  }
  try {
    const result = await run();
    audit.end(record, "ok", undefined);
    return result;
  } catch (error) {
    audit.end(record, "error", (error as Error).message);
    throw error;
  }
}
