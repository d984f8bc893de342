import { choose, type GatedCall, personAt } from "@ccbridge/mcp-tools";
import { visible } from "@ccbridge/registry";
import type { Approval, Approvals } from "../access/approvals.js";
import type { Client } from "../access/client.js";
import type { OpenRecord } from "../audit/record.js";
import type { Permissions } from "./permissions.js";
import type { Target } from "./targets.js";

export interface AskFacts {
  readonly client: Client;
  readonly record: OpenRecord;
  readonly targets: readonly Target[];
}

/** What came of asking: who allowed it, or why it is refused. */
export interface Asked {
  readonly by?: string | undefined;
  readonly refusal?: string | undefined;
}

const MAX_LINES = 5;
const MAX_SHOWN = 400;

/** Asks a person before something destructive: at the client itself, or through those who watch the approvals. */
export class Asking {
  readonly #approvals: Approvals;
  readonly #permissions: Permissions;

  constructor(approvals: Approvals, permissions: Permissions) {
    this.#approvals = approvals;
    this.#permissions = permissions;
  }

  async ask(call: GatedCall, { client, record, targets }: AskFacts): Promise<Asked> {
    // A call without a provider of its own stands for its tool alone.
    const scopes =
      targets.length === 0 ? [call.tool.name] : targets.map(({ key, name }) => key ?? name);
    if (scopes.every((scope) => this.#permissions.has(client, scope))) {
      return { by: "the answer of less than an hour ago" };
    }
    const question = questionOf(call, client, record, targets);
    const approval = await this.#decide(call, client, question, targets);
    if (approval === undefined) return { refusal: nobody(call, client) };
    const { decision, by } = approval;
    // A client without a session calls again with the answer; this call is over.
    if (decision === "no" && call.context.gone?.aborted) {
      return { refusal: `${call.tool.name} waits for the answer of a person.` };
    }
    if (decision === "no") return { refusal: `${call.tool.name} was not allowed (by ${by}).` };
    if (decision === "hour") {
      for (const scope of scopes) this.#permissions.allowForAnHour(client, scope);
    }
    return { by };
  }

  async #decide(
    { context, tool }: GatedCall,
    client: Client,
    question: string,
    targets: readonly Target[],
  ): Promise<Approval | undefined> {
    const { line, signal, gone = signal } = context;
    const person = personAt(line);
    if (person !== undefined) {
      const chosen = await choose(person, { text: question, choices: choicesFor(targets) });
      const decision = chosen === "once" || chosen === "hour" ? chosen : "no";
      return { decision, by: "the person at the client" };
    }
    if (!this.#approvals.isOpen) return undefined;
    context.progress?.("waiting for somebody at the dashboard to allow this");
    const [provider] = targets;
    return this.#approvals.ask(
      { client: client.name, tool: tool.name, provider: provider?.name, question },
      gone,
    );
  }
}

function choicesFor(targets: readonly Target[]) {
  const [first, second] = targets;
  const where =
    first === undefined ? "this tool" : second === undefined ? first.name : "these computers";
  return [
    { value: "once", title: "This once" },
    { value: "hour", title: `Always for ${where}, this hour` },
  ];
}

/** What would happen, in one sentence. */
function questionOf(
  { tool }: GatedCall,
  client: Client,
  record: OpenRecord,
  targets: readonly Target[],
): string {
  const who = record.software ?? "The AI";
  const where = targets.length === 0 ? "" : ` on ${targets.map(({ name }) => name).join(" and ")}`;
  return `${who} (${client.name}) wants to use ${tool.name}${where}: ${subjectOf(record.request)}`;
}

function subjectOf(request: Readonly<Record<string, unknown>>): string {
  const { code, computerId: _, ...rest } = request;
  const text = typeof code === "string" ? code : JSON.stringify(rest);
  const lines = visible(text).split("\n");
  const head = lines.slice(0, MAX_LINES).join("\n").slice(0, MAX_SHOWN);
  return head.length < text.length && lines.length > 1 ? `${head}\n...` : head;
}

function nobody({ tool }: GatedCall, { name }: Client): string {
  return (
    `${tool.name} needs the yes of a person (mode=ask of the token ${name}), and nobody can be asked: this client ` +
    "does not take questions (MCP elicitation). Ask the user to open the bridge's dashboard and to allow it there, " +
    "or to use a client that takes questions, or to give this token mode=all."
  );
}
