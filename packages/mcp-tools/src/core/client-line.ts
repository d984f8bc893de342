import { fileHash } from "@ccbridge/protocol";
import { utf8 } from "../format/bytes.js";
import { ProtocolError } from "./errors.js";

/** What a client may be asked for, by MCP's names. */
export type ClientMethod = "elicitation/create" | "sampling/createMessage" | "roots/list";

/** One thing that a client is asked for. */
export interface ClientRequest {
  readonly method: ClientMethod;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Whether an answer counts only if the client was asked for it during this same call, as a yes must be. */
  readonly isBound?: boolean;
}

/** An answer as the client gave it, in the form that MCP has for the request. */
export type ClientAnswer = Readonly<Record<string, unknown>>;

/** How much a message matters, by MCP's names, the least first. */
const logLevels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;
export type LogLevel = (typeof logLevels)[number];

/** Whether a message of one level reaches a client that set another level; a client that set none gets none. */
export function reaches(level: LogLevel, wanted: LogLevel | undefined): boolean {
  return wanted !== undefined && logLevels.indexOf(level) >= logLevels.indexOf(wanted);
}

/** The line to the client that made a call, open for as long as it waits. */
export interface ClientLine {
  /** Whether the call was made before and ended with a question, whose answer comes now. */
  readonly isRepeated?: boolean;
  /** Whether the client says that it answers such requests. */
  answers(method: ClientMethod): boolean;
  /**
   * Asks for everything at once, each thing under a name, and returns the answers under the same names. Rejects
   * when one of them is missing.
   *
   * A client without a session cannot be asked during a call: the call ends here, and the client makes it again
   * with the answers. So a tool asks before it does anything else, and repeats the same question under the same name.
   */
  ask<Name extends string>(
    requests: Readonly<Record<Name, ClientRequest>>,
  ): Promise<Readonly<Record<Name, ClientAnswer>>>;
  /** Whether the client wants messages of this level for its log. */
  hears(level: LogLevel): boolean;
  /** Sends a message for the client's log, if it wants such. */
  log(level: LogLevel, message: string): void;
}

/** The call ends here: its client was given the questions, and calls again with the answers. */
export class AwaitingAnswers extends ProtocolError {
  override readonly name = "AwaitingAnswers";
  /** What the client gets instead of a result. */
  readonly result: object;

  constructor(result: object) {
    super("The client calls again with the answers.");
    this.result = result;
  }
}

/** A question to a person. */
export interface ToolQuestion {
  readonly text: string;
  /** What may be chosen; the first is what a plain yes means. */
  readonly choices: readonly { readonly value: string; readonly title: string }[];
  /** What an answer is bound to beside the text. */
  readonly about: string;
}

/** The line, if there is a person at its end who can be asked. */
export function personAt(line: ClientLine | undefined): ClientLine | undefined {
  return line?.answers("elicitation/create") ? line : undefined;
}

/** Asks the person a yes-or-no question. No answer, whatever the reason, is not a yes. */
export async function confirm(line: ClientLine, question: string): Promise<boolean> {
  return typeof (await elicit(line, question, {})) === "object";
}

/**
 * What came of a question: the value that the person chose, "declined" when they said no, "dismissed" when the
 * client closed the question without showing it to a person, or the person closed it without an answer.
 */
export type Chosen = { readonly value: string } | "declined" | "dismissed";

/** Asks the person to choose. A client without forms says yes to the first choice. */
export async function choose(
  line: ClientLine,
  { text, choices, about }: ToolQuestion,
): Promise<Chosen> {
  const answer = {
    type: "string",
    title: "Allow it",
    enum: choices.map(({ value }) => value),
    enumNames: choices.map(({ title }) => title),
  };
  const content = await elicit(line, text, { answer }, about);
  if (typeof content === "string") return content;
  const { answer: chosen = choices[0]?.value } = content;
  return choices.find(({ value }) => value === chosen) ?? "declined";
}

/** What the person entered. */
async function elicit(
  line: ClientLine,
  message: string,
  properties: Readonly<Record<string, object>>,
  about = "",
): Promise<Readonly<Record<string, unknown>> | "declined" | "dismissed"> {
  const params = { message, requestedSchema: { type: "object", properties } };
  // Another question has another name: a yes to one is never taken for a yes to the other.
  const name = fileHash(utf8(`${message}${about}`));
  try {
    const { [name]: answer } = await line.ask({
      [name]: { method: "elicitation/create", params, isBound: true },
    });
    if (answer?.action !== "accept") return answer?.action === "decline" ? "declined" : "dismissed";
    const { content } = answer;
    return typeof content === "object" && content !== null ? { ...content } : {};
  } catch (error) {
    if (error instanceof AwaitingAnswers) throw error;
    return "dismissed";
  }
}
