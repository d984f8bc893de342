import {
  choose,
  personAt,
  type ReadCall,
  reportWaiting,
  type Target,
  type ToolContext,
} from "@ccbridge/mcp-tools";
import { cleanText } from "@ccbridge/registry";
import type { Client } from "../auth/rights/client.js";
import type { ApprovalRequest, Approvals, Decision, PersonAnswer } from "./approvals.js";
import { subjectHash } from "./audit/record.js";
import { endOfPermission, type Permissions } from "./permissions.js";
import { CallRefused } from "./rates.js";

const MAX_SHOWN = 4_096;

export interface AskedCall {
  readonly call: ReadCall<unknown>;
  readonly args: unknown;
  readonly client: Client;
  readonly software: string | undefined;
  readonly targets: readonly Target[];
  readonly trace: string;
  readonly context: ToolContext;
}

/** Asks a person before a destructive call: through the client, or at the dashboard. */
export class ApprovalPrompter {
  readonly #approvals: Approvals;
  readonly #permissions: Permissions;

  constructor(approvals: Approvals, permissions: Permissions) {
    this.#approvals = approvals;
    this.#permissions = permissions;
  }

  /** Returns who allowed the call. Throws a {@link CallRefused} otherwise. */
  async ask(asked: AskedCall): Promise<string> {
    const { call, client, targets, context } = asked;
    const { name } = call.tool;
    const before = this.#permissions.allowedBy(client, name, targets);
    if (before !== undefined) return `${before}, earlier`;
    // Computed first, because the button shows this time however late it is pressed.
    const until = endOfPermission();
    const waiting = reportWaiting("waiting for a person to allow this", context.progress);
    const answer = await this.#decide(asked, until).finally(waiting.end);
    if ("unanswered" in answer) {
      throw new CallRefused(
        `${name} needs the approval of a person (mode=ask of the token ${client.name}), and no person was asked or answered: ${answer.unanswered}.`,
        "Nothing was done. Ask the user to open the bridge's dashboard and to allow it there, to use a client that shows questions (MCP elicitation), or to give this token mode=all.",
      );
    }
    const { decision, by } = answer;
    if (decision === "no") throw new CallRefused(`${name} was not allowed (by ${by}).`);
    if (decision !== "call") {
      const tool = decision === "tool" ? name : undefined;
      this.#permissions.grant(client, { tool, targets, grantedBy: by, until });
    }
    return by;
  }

  async #decide(asked: AskedCall, until: number): Promise<PersonAnswer> {
    const request = requestOf(asked, until);
    const { line, signal, gone = signal } = asked.context;
    const person = personAt(line);
    if (person === undefined) {
      const answer = await this.#approvals.ask(request, gone);
      if (!("unanswered" in answer) || this.#approvals.isOpen) return answer;
      return { unanswered: `this client does not support questions, and ${answer.unanswered}` };
    }
    const text = `${request.question}\n\n${shortened(request.subject, asked.args)}`;
    // Keys, because another provider may have the same name when the answer arrives.
    const about = JSON.stringify(asked.targets.map(({ key }) => key));
    const chosen = await choose(person, { text, choices: request.choices, about });
    if (chosen === "declined") return { decision: "no", by: "the person at the client" };
    if (chosen !== "dismissed") {
      return { decision: chosen.value as Decision, by: "the person at the client" };
    }
    const answer = await this.#approvals.ask(request, gone);
    if (!("unanswered" in answer)) return answer;
    return { unanswered: `the client dismissed the question, and ${answer.unanswered}` };
  }
}

function requestOf(
  { call, client, software, targets, trace }: AskedCall,
  end: number,
): ApprovalRequest {
  const { name } = call.tool;
  const names = targets.map((target) => target.name);
  const where = names.length === 0 ? "" : ` on ${names.join(" and ")}`;
  const until = `until ${clockTime(end)}`;
  return {
    trace,
    client: client.name,
    tool: name,
    targets: names,
    question: `${software ?? "The AI"} (${client.name}) wants to use ${name}${where}.`,
    subject: subjectOf(call.args),
    choices: [
      { value: "call", title: "This call" },
      { value: "tool", title: `${name}${where} ${until}` },
      ...(names.length === 0
        ? []
        : [
            {
              value: "targets" as const,
              title: `Every change${where} by ${client.name} ${until}`,
            },
          ]),
    ],
  };
}

/** Code is shown unescaped, everything else as JSON. */
function subjectOf({ code, ...rest }: Readonly<Record<string, unknown>>): string {
  if (typeof code !== "string") return cleanText(JSON.stringify({ code, ...rest }, null, 2));
  return cleanText(`${code}\n\n${JSON.stringify(rest)}`);
}

/** The hash is the same as in the audit. */
function shortened(text: string, args: unknown): string {
  if (text.length <= MAX_SHOWN) return text;
  const half = MAX_SHOWN / 2;
  const missing = (text.length - MAX_SHOWN).toLocaleString("en");
  const sha256 = subjectHash(args);
  return [
    text.slice(0, half),
    `... ${missing} characters not shown; see the dashboard (sha256 ${sha256}) ...`,
    text.slice(-half),
  ].join("\n");
}

function clockTime(at: number): string {
  return new Date(at).toTimeString().slice(0, 5);
}
