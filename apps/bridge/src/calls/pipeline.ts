import {
  AwaitingAnswers,
  type CallableTool,
  explain,
  type ReadCall,
  type Target,
  type ToolContext,
  type ToolFacts,
  withoutSecrets,
} from "@ccbridge/mcp-tools";
import type { ChangeLog, ChangeStore, Provider } from "@ccbridge/registry";
import { rightsProblem } from "../auth/rights/client.js";
import type { Approvals } from "./approvals.js";
import { ApprovalPrompter } from "./ask-person.js";
import { type Audit, AuditError } from "./audit/audit.js";
import type { OpenRecord } from "./audit/record.js";
import type { Caller } from "./caller.js";
import { changeLog } from "./change-log.js";
import type { Permissions } from "./permissions.js";
import { CallLimiter, CallRefused, PollGroups, type Rates } from "./rates.js";
import { type Tracer, tracedPort } from "./traced-port.js";

export interface PipelineOptions {
  audit: Audit;
  approvals: Approvals;
  permissions: Permissions;
  rates: Rates;
  settings: { readonly values: { readonly readOnly: boolean } };
  /** See {@link Pipeline.changes}. */
  changes?: ChangeStore;
}

export interface Call<Outcome> {
  readonly caller: Caller;
  find(): CallableTool<Outcome> | Promise<CallableTool<Outcome>>;
  readonly args: unknown;
  readonly context: ToolContext;
}

interface Shown {
  readonly text?: string;
  readonly isError?: boolean;
}

/** The single path of every call, from every transport. Transports only translate their protocol. */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #prompter: ApprovalPrompter;
  readonly #limiter = new CallLimiter();
  readonly #polls = new PollGroups();
  /** Where what is changed is kept. @default nowhere */
  changes: ChangeStore | undefined;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.changes = options.changes;
    this.#prompter = new ApprovalPrompter(options.approvals, options.permissions);
  }

  get #isReadOnly(): boolean {
    return this.#options.settings.values.readOnly;
  }

  /** Whether a tool is visible to a client, and so callable. */
  allows(tool: ToolFacts, { client }: Caller): boolean {
    return rightsProblem(tool, client, this.#isReadOnly) === undefined;
  }

  async run<Outcome extends object>(call: Call<Outcome>): Promise<Outcome> {
    const leave = this.#limiter.enter(call.caller.client, call.args);
    try {
      const tool = await call.find();
      let read: ReadCall<Outcome>;
      try {
        read = await tool.read(call.args, call.context);
      } catch (error) {
        this.#failed(this.#begin(tool.facts, call), call, error);
        throw error;
      }
      if (read.polls !== undefined) return await this.#poll(tool, read, call, read.polls);
      return await this.#runRecorded(tool, read, call);
    } finally {
      leave();
    }
  }

  #begin(tool: ToolFacts, { caller, args }: Call<unknown>, polls?: string): OpenRecord {
    return this.#options.audit.begin({
      client: caller.client.name,
      software: caller.software(),
      session: caller.session,
      tool: tool.name,
      acts: !tool.annotations.readOnlyHint,
      args: withoutSecrets(args, tool),
      polls,
    });
  }

  /** Resolves the targets. If that fails the tool reports it; only a person must not be asked. */
  async #resolveTargets(
    read: ReadCall<unknown>,
    { caller, context }: Call<unknown>,
    record: OpenRecord,
    changes: ChangeLog | undefined,
  ): Promise<readonly Target[]> {
    try {
      const targets = await read.findTargets(context.providers, changes);
      for (const { key, name } of targets) this.#options.audit.reached(record, key, name);
      return targets;
    } catch (error) {
      const { message, hint } = explain(error, context.settings);
      record.notFound = message;
      if (!needsPerson(read.tool, caller)) return [];
      throw new CallRefused(message, `Nothing was done. ${hint}`);
    }
  }

  #checkRights(tool: CallableTool<unknown>, read: ReadCall<unknown>, { caller }: Call<unknown>) {
    // A tool that calls another tool needs the rights to both.
    for (const facts of [tool.facts, read.tool]) {
      const problem = rightsProblem(facts, caller.client, this.#isReadOnly);
      if (problem !== undefined) throw new CallRefused(problem);
    }
  }

  // Counts the call. The targets are counted before a person is asked, so that an approved call is
  // not refused afterwards.
  #takeRates(
    { tool, holdsTargets }: ReadCall<unknown>,
    targets: readonly Target[],
    { caller, context }: Call<unknown>,
    record: OpenRecord,
  ): CallTracer {
    const allowed = needsPerson(tool, caller) ? targets : undefined;
    // A call that is repeated with an answer was counted with the question.
    const isCounted = context.line?.isRepeated === true;
    if (!isCounted) this.#options.rates.takeFromClient(caller.client);
    const tracer = new CallTracer(this.#options, record, allowed, isCounted);
    for (const { key } of holdsTargets === true ? targets : (allowed ?? [])) tracer.reaches(key);
    return tracer;
  }

  /** Throws unless a person approves the call. */
  async #askPerson(
    call: ReadCall<unknown>,
    targets: readonly Target[],
    { caller, args, context }: Call<unknown>,
    record: OpenRecord,
  ): Promise<void> {
    const { client } = caller;
    const { trace, software } = record;
    this.#options.audit.waits(record, true);
    try {
      const asked = { call, args, client, software, targets, trace, context };
      record.approvedBy = await this.#prompter.ask(asked);
    } finally {
      this.#options.audit.waits(record, false);
    }
  }

  #auditBefore(record: OpenRecord, { tool }: ReadCall<unknown>, { args }: Call<unknown>): void {
    try {
      this.#options.audit.before(record, withoutSecrets(args, tool));
    } catch (error) {
      throw error instanceof AuditError ? new CallRefused(error.message) : error;
    }
  }

  async #runRecorded<Outcome extends object>(
    tool: CallableTool<Outcome>,
    read: ReadCall<Outcome>,
    call: Call<Outcome>,
  ): Promise<Outcome> {
    const { audit } = this.#options;
    const record = this.#begin(read.tool, call, read.polls);
    try {
      const changes = this.#changesOf(read, call, record);
      const targets = await this.#resolveTargets(read, call, record, changes);
      this.#checkRights(tool, read, call);
      const tracer = this.#takeRates(read, targets, call, record);
      // What the arguments name may change while a person is asked: then the tool looks again.
      const isAsked = needsPerson(read.tool, call.caller);
      if (isAsked) await this.#askPerson(read, targets, call, record);
      this.#auditBefore(record, read, call);
      const outcome = await read.run(
        contextOf(call, tracer, { targets: isAsked ? undefined : targets, changes }),
      );
      const { isError, text } = outcome as Shown;
      audit.end(record, isError === true ? "error" : "ok", text);
      return outcome;
    } catch (error) {
      this.#failed(record, call, error);
      throw error;
    }
  }

  #changesOf(
    { tool }: ReadCall<unknown>,
    { caller: { client } }: Call<unknown>,
    { trace }: Pick<OpenRecord, "trace">,
  ): ChangeLog | undefined {
    const { changes } = this;
    return changes && changeLog(changes, client, { trace, tool: tool.name });
  }

  #failed(record: OpenRecord, { context }: Call<unknown>, error: unknown): void {
    const { audit } = this.#options;
    if (error instanceof AwaitingAnswers) return audit.end(record, "asked", undefined);
    const { message, hint } = explain(error, context.settings);
    const outcome = error instanceof CallRefused ? "refused" : "error";
    audit.end(record, outcome, `${message}\n${hint}`);
  }

  async #poll<Outcome extends object>(
    tool: CallableTool<Outcome>,
    read: ReadCall<Outcome>,
    call: Call<Outcome>,
    polls: string,
  ): Promise<Outcome> {
    const { caller, context } = call;
    const polled = `${read.tool.name} ${polls}`;
    const isAllowed = this.allows(tool.facts, caller) && this.allows(read.tool, caller);
    const continues = isAllowed && this.#polls.continues(caller, polled);
    let isGood = false;
    try {
      // It reads earlier changes and makes none, so that it needs no trace.
      const own = () => ({ ...context, changes: this.#changesOf(read, call, { trace: "" }) });
      const outcome = await (continues ? read.run(own()) : this.#runRecorded(tool, read, call));
      isGood = (outcome as Shown).isError !== true;
      return outcome;
    } finally {
      if (!isGood) this.#polls.end(caller, polled);
    }
  }
}

function contextOf(
  { context }: Call<unknown>,
  tracer: Tracer,
  { targets, changes }: Pick<ToolContext, "targets" | "changes">,
): ToolContext {
  const own = { ...context };
  own.providers = tracedPort(context.providers, tracer);
  own.targets = targets;
  own.changes = changes;
  return own;
}

function needsPerson({ annotations, isForOwners }: ToolFacts, { client }: Caller): boolean {
  return client.rights.mode === "ask" && annotations.destructiveHint && !isForOwners;
}

class CallTracer implements Tracer {
  readonly id: string;
  readonly client: string;
  readonly #options: Pick<PipelineOptions, "rates" | "audit">;
  readonly #record: OpenRecord;
  readonly #allowed: ReadonlySet<string> | undefined;
  readonly #reached: Set<string>;

  constructor(
    options: Pick<PipelineOptions, "rates" | "audit">,
    record: OpenRecord,
    allowed: readonly Target[] | undefined,
    isCounted: boolean,
  ) {
    this.id = record.trace;
    this.client = record.client;
    this.#options = options;
    this.#record = record;
    this.#allowed = allowed && new Set(allowed.map(({ key }) => key));
    this.#reached = new Set(isCounted ? this.#allowed : []);
  }

  reaches(key: string): void {
    if (this.#reached.has(key)) return;
    if (this.#allowed?.has(key) === false) {
      throw new CallRefused(
        "What the call acts on changed while a person was asked.",
        "Nothing was done there. Call again to ask for what is linked now.",
      );
    }
    const { keys, providers } = this.#record;
    this.#options.rates.takeFromProvider(key, providers[keys.indexOf(key)] ?? "each provider");
    this.#reached.add(key);
  }

  found({ key, name }: Pick<Provider, "key" | "name">): void {
    if (!this.#record.keys.includes(key)) this.#options.audit.reached(this.#record, key, name);
  }

  job(id: string): void {
    this.#record.job ??= id;
  }
}
