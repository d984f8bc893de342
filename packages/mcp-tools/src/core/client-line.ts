import { fileHash } from "@ccbridge/protocol";
import { utf8 } from "../format/bytes.js";
import { ProtocolError } from "./errors.js";

export type ClientMethod = "elicitation/create" | "sampling/createMessage" | "roots/list";

export interface ClientRequest {
  readonly method: ClientMethod;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Whether an answer counts only if the client was asked for it during this same call, as a yes must be. */
  readonly isBound?: boolean;
}

export type ClientAnswer = Readonly<Record<string, unknown>>;

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

export function reaches(level: LogLevel, wanted: LogLevel | undefined): boolean {
  return wanted !== undefined && logLevels.indexOf(level) >= logLevels.indexOf(wanted);
}

export interface ClientLine {
  /** Whether the call was made before and ended with a question, whose answer comes now. */
  readonly isRepeated?: boolean;
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
  hears(level: LogLevel): boolean;
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

export interface ToolQuestion {
  readonly text: string;
  readonly choices: readonly { readonly value: string; readonly title: string }[];
  readonly about: string;
}

export function personAt(line: ClientLine | undefined): ClientLine | undefined {
  return line?.answers("elicitation/create") ? line : undefined;
}

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
    oneOf: choices.map(({ value, title }) => ({ const: value, title })),
  };
  const content = await elicit(line, text, { answer }, about);
  if (typeof content === "string") return content;
  const { answer: chosen = choices[0]?.value } = content;
  return choices.find(({ value }) => value === chosen) ?? "declined";
}

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
