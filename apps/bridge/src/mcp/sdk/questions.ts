import { createHash } from "node:crypto";
import type { ToolQuestion } from "@ccbridge/mcp-tools";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type ChoiceSchema, choiceSchema, chosenOf } from "./choices.js";

/** What a client without a session can do: each of its requests says so. */
export function capabilitiesOf(
  envelope: ServerContext["mcpReq"]["envelope"],
): ClientCapabilities | undefined {
  // The SDK checks the envelope but does not type it.
  const { [CLIENT_CAPABILITIES_META_KEY]: capabilities } = (envelope ?? {}) as {
    [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
  };
  return capabilities;
}

interface Given {
  action?: unknown;
  content?: Record<string, unknown>;
}

/**
 * What a tool asks the person at a client without a session. There nobody can be asked during a call: the
 * call ends with the question, and the client calls again with the answer. Whoever asks does so before it
 * does anything, and once, so beginning again changes nothing.
 */
export class Questions {
  /** Resolves with the question, once a tool asks one that is not answered yet. */
  readonly result: Promise<InputRequiredResult>;
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  readonly choose: ((question: ToolQuestion) => Promise<string | undefined>) | undefined;
  readonly #asked = new AbortController();

  constructor({ envelope, inputResponses }: ServerContext["mcpReq"]) {
    let ask: (question: InputRequiredResult) => void = () => {};
    this.result = new Promise((resolve) => {
      ask = resolve;
    });
    if (capabilitiesOf(envelope)?.elicitation === undefined) return;
    const elicit = (message: string, properties: ChoiceSchema) => {
      // Another question has another key: a yes to one is never taken for a yes to the other.
      const key = `confirm-${createHash("sha256").update(message).digest("hex").slice(0, 16)}`;
      const given = inputResponses?.[key] as Given | undefined;
      if (given !== undefined) return given.action === "accept" ? (given.content ?? {}) : undefined;
      const requestedSchema = { type: "object" as const, properties };
      const inputRequests = { [key]: inputRequired.elicit({ message, requestedSchema }) };
      ask(inputRequired({ inputRequests }));
      this.#asked.abort();
      return undefined;
    };
    this.confirm = async (message) => elicit(message, {}) !== undefined;
    this.choose = async (question) =>
      chosenOf(question, elicit(question.text, choiceSchema(question)));
  }

  /** Aborted when a question was asked: nobody waits for this call any more. */
  get asked(): AbortSignal {
    return this.#asked.signal;
  }
}
