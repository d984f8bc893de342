import {
  type CallResult,
  type GatedCall,
  type ToolContext,
  ToolError,
  type ToolFacts,
  type ToolGate,
  throughPort,
} from "@ccbridge/mcp-tools";
import type { Provider } from "@ccbridge/registry";
import type { Client } from "../access/client.js";
import { allowsTool } from "../access/tool-rules.js";
import { type Audit, AuditError } from "../audit/audit.js";
import type { OpenRecord, Outcome } from "../audit/record.js";
import type { Asking } from "./ask.js";
import type { Meters } from "./meters.js";
import { targetsOf } from "./targets.js";
import { TracedPort, type Tracer } from "./traced-port.js";
import { Watching } from "./watching.js";

export interface GateOptions {
  client: Client;
  /** Tells sessions apart in the audit; not the session's id. */
  session: string;
  /** What the client's program says it is, once it has said so. */
  software(): string | undefined;
  /** Whether nobody may act. */
  readOnly: boolean;
  audit: Audit;
  meters: Meters;
  asking: Asking;
}

/** Decides on every call of one session, and has it written down. */
export class ClientGate implements ToolGate {
  readonly #options: GateOptions;
  #watching: Watching | undefined;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  allows(tool: ToolFacts): boolean {
    return this.#reasonToRefuse(tool) === undefined;
  }

  pass(call: GatedCall, run: (context: ToolContext) => Promise<CallResult>): Promise<CallResult> {
    return call.watched === undefined ? this.#record(call, run) : this.#watch(call, run);
  }

  /** A view that keeps looking at one thing makes one call; its rights are checked each time. */
  async #watch(
    call: GatedCall,
    run: (context: ToolContext) => Promise<CallResult>,
  ): Promise<CallResult> {
    const { tool, watched = "" } = call;
    this.#watching ??= new Watching();
    const goesOn = this.allows(tool) && this.#watching.goesOn(watched);
    const result = await (goesOn ? run(call.context) : this.#record(call, run));
    if (result.isError === true) this.#watching.end(watched);
    return result;
  }

  /** Decides on a call that counts, and has it written down. */
  async #record(
    call: GatedCall,
    run: (context: ToolContext) => Promise<CallResult>,
  ): Promise<CallResult> {
    const { audit, client } = this.#options;
    const { tool } = call;
    const record = audit.begin({
      client: client.name,
      software: this.#options.software(),
      session: this.#options.session,
      tool: tool.name,
      acts: !tool.annotations.readOnlyHint,
      args: call.args,
    });
    const decision = this.#admit(call, record);
    // Most calls are decided at once, and nothing is awaited that need not be.
    const refusal = decision instanceof Promise ? await decision : decision;
    if (refusal !== undefined) return this.#end(call, record, "refused", failure(refusal));
    let failed: CallResult | undefined;
    try {
      const { context } = call;
      const providers = new TracedPort(context.providers, new CallTracer(this.#options, record));
      const result = await run(throughPort(context, providers));
      return this.#end(call, record, result.isError === true ? "error" : "ok", result);
    } catch (error) {
      failed = failure((error as Error).message);
      throw error;
    } finally {
      if (failed !== undefined) this.#end(call, record, "error", failed);
    }
  }

  /** Why a call is not made; undefined when it may be. */
  #admit(call: GatedCall, record: OpenRecord): string | undefined | Promise<string | undefined> {
    const { client, meters, audit } = this.#options;
    const { tool } = call;
    const refusal = this.#reasonToRefuse(tool) ?? meters.client(client);
    if (refusal !== undefined) return `${refusal} Nothing was done.`;
    const asks = client.rights.mode === "ask" && tool.annotations.destructiveHint;
    return asks || audit.writes(record) ? this.#decide(call, record, asks) : undefined;
  }

  /** Asks a person if necessary, and records the call before it is made. */
  async #decide(call: GatedCall, record: OpenRecord, asks: boolean): Promise<string | undefined> {
    const { client, audit, asking } = this.#options;
    // Whoever decides, or reads of it later, wants to know where it goes before it goes there.
    const targets = await targetsOf(call);
    for (const { name, key } of targets) {
      record.providers.push(name);
      if (key !== undefined) record.keys.push(key);
    }
    if (asks) {
      const { refusal: no, by } = await asking.ask(call, { client, record, targets });
      if (no !== undefined) return `${no} Nothing was done.`;
      record.approvedBy = by;
    }
    try {
      audit.before(record, call.args);
    } catch (error) {
      if (error instanceof AuditError) return `${error.message} Nothing was done.`;
      throw error;
    }
    return undefined;
  }

  #reasonToRefuse(tool: ToolFacts): string | undefined {
    const { client, readOnly } = this.#options;
    const { mode, tools } = client.rights;
    if (!tool.annotations.readOnlyHint) {
      if (readOnly) {
        return `${tool.name} may change something, and this bridge is read-only (CC_READ_ONLY).`;
      }
      if (mode === "look") {
        return `${tool.name} may change something, and the token of this client (${client.name}) is read-only.`;
      }
    }
    if (allowsTool(tools, tool)) return undefined;
    return `The token of this client (${client.name}) does not allow ${tool.name}.`;
  }

  /** Has the end written down, behind the answer if possible: the client need not wait for it. */
  #end(
    { context }: GatedCall,
    record: OpenRecord,
    outcome: Outcome,
    result: CallResult,
  ): CallResult {
    const write = () => {
      const [first] = result.content;
      const text = first?.type === "text" ? first.text : undefined;
      this.#options.audit.end(record, outcome, text);
    };
    if (context.afterwards === undefined) write();
    else context.afterwards(write);
    return result;
  }
}

/** Fills in the record of a call while it runs, and counts what it asks of each computer. */
class CallTracer implements Tracer {
  readonly #options: Pick<GateOptions, "meters" | "audit">;
  readonly #record: OpenRecord;
  #reached: Set<string> | undefined;

  constructor(options: Pick<GateOptions, "meters" | "audit">, record: OpenRecord) {
    this.#options = options;
    this.#record = record;
  }

  reaches(key: string): void {
    const { meters } = this.#options;
    if (!meters.countsComputers || this.#reached?.has(key)) return;
    this.#reached ??= new Set();
    this.#reached.add(key);
    const refusal = meters.computer(key);
    if (refusal !== undefined) throw new ToolError(refusal, "Do something else in the meantime.");
  }

  found({ key, name }: Pick<Provider, "key" | "name">): void {
    if (!this.#record.keys.includes(key)) this.#options.audit.reached(this.#record, key, name);
  }

  job(id: string): void {
    this.#record.job ??= id;
  }
}

function failure(text: string): CallResult {
  return { content: [{ type: "text", text }], isError: true };
}
