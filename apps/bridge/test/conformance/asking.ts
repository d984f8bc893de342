import {
  type ClientLine,
  type ClientRequest,
  defineTool,
  type Prompt,
  type Tool,
} from "@ccbridge/mcp-tools";
import { z } from "zod";

// What the suite calls to be asked for something: forms, text from its model, and its folders. The
// bridge's own tools ask a person for an approval or a choice, through the same interface.

const text = { type: "string" };

function form(
  message: string,
  properties: Readonly<Record<string, object>>,
  required: readonly string[] = Object.keys(properties),
): ClientRequest {
  const requestedSchema = { type: "object", properties, required };
  return { method: "elicitation/create", params: { message, requestedSchema } };
}

function sampling(prompt: string): ClientRequest {
  const messages = [{ role: "user", content: { type: "text", text: prompt } }];
  return { method: "sampling/createMessage", params: { messages, maxTokens: 100 } };
}

const roots: ClientRequest = { method: "roots/list", params: {} };

function asks<Input extends z.ZodObject>(
  name: string,
  input: Input,
  ask: (line: ClientLine, args: z.output<Input>) => Promise<unknown>,
): Tool {
  return defineTool({
    ...{ name, title: name, description: "Asks the client.", input },
    async handler(args, { line }) {
      if (line === undefined) throw new Error("nobody waits for this call");
      return { text: JSON.stringify(await ask(line, args)) };
    },
  });
}

const none = z.object({});
const asksFor = (name: string, requests: Readonly<Record<string, ClientRequest>>) =>
  asks(name, none, (line) => line.ask(requests));

const options = (...titles: string[]) =>
  titles.map((title, index) => ({ const: `value${index + 1}`, title }));
const plainOptions = ["option1", "option2", "option3"];

const userName = form("What is your name?", { name: text });

export const askingTools: readonly Tool[] = [
  asks("test_sampling", z.object({ prompt: z.string() }), (line, { prompt }) =>
    line.ask({ model: sampling(prompt) }),
  ),
  asks("test_elicitation", z.object({ message: z.string() }), (line, { message }) =>
    line.ask({
      person: form(message, {
        username: { ...text, description: "User's response" },
        email: { ...text, description: "User's email address" },
      }),
    }),
  ),
  asksFor("test_elicitation_sep1034_defaults", {
    person: form("Is this right?", {
      name: { ...text, default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { ...text, enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    }),
  }),
  asksFor("test_elicitation_sep1330_enums", {
    person: form("Choose.", {
      untitledSingle: { ...text, enum: plainOptions },
      titledSingle: { ...text, oneOf: options("First Option", "Second Option", "Third Option") },
      legacyEnum: {
        ...text,
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { ...text, enum: plainOptions } },
      titledMulti: {
        type: "array",
        items: { anyOf: options("First Choice", "Second Choice", "Third Choice") },
      },
    }),
  }),
  asksFor("test_input_required_result_elicitation", { user_name: userName }),
  asksFor("test_input_required_result_sampling", {
    capital_question: sampling("What is the capital of France?"),
  }),
  asksFor("test_input_required_result_list_roots", { client_roots: roots }),
  asksFor("test_input_required_result_multiple_inputs", {
    user_name: userName,
    greeting: sampling("Generate a greeting"),
    client_roots: roots,
  }),
  asks("test_input_required_result_request_state", none, async (line) => ({
    ...(await line.ask({ confirm: form("Please confirm", { ok: { type: "boolean" } }) })),
    state: "state-ok",
  })),
  asksFor("test_input_required_result_tampered_state", {
    confirm: form("Please confirm", { ok: { type: "boolean" } }),
  }),
  asks("test_input_required_result_multi_round", none, async (line) => {
    const { step1 } = await line.ask({
      step1: form("Step 1: What is your name?", { name: text }),
    });
    const { step2 } = await line.ask({
      step2: form("Step 2: What is your favorite color?", { color: text }),
    });
    return { step1, step2 };
  }),
  asks("test_input_required_result_capabilities", none, (line) => {
    const wanted = { user_name: userName, greeting: sampling("Generate a greeting") };
    const answered = Object.entries(wanted).filter(([, { method }]) => line.answers(method));
    return line.ask(Object.fromEntries(answered));
  }),
  asksFor("test_missing_capability", { greeting: sampling("Generate a greeting") }),
  asksFor("test_streaming_elicitation", { user_name: userName }),
];

export const askingPrompt: Prompt = {
  name: "test_input_required_result_prompt",
  title: "A prompt that asks",
  description: "Asks for its context.",
  arguments: [],
  async content(_, { line }) {
    const question = form("What context should the prompt use?", { context: text });
    const answers = await line?.ask({ user_context: question });
    return JSON.stringify(answers);
  },
};
