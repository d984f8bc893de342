import type { ToolQuestion } from "@ccbridge/mcp-tools";

/** The form that a client shows for a question; empty for one that wants a yes only. */
export type ChoiceSchema = Record<
  string,
  { type: "string"; title: string; enum: string[]; enumNames: string[] }
>;

export function choiceSchema({ choices }: ToolQuestion): ChoiceSchema {
  return {
    answer: {
      type: "string",
      title: "Allow it",
      enum: choices.map(({ value }) => value),
      enumNames: choices.map(({ title }) => title),
    },
  };
}

/** What was chosen. A client that shows no choices says yes to the first. */
export function chosenOf(
  { choices }: ToolQuestion,
  content: Readonly<Record<string, unknown>> | undefined,
): string | undefined {
  if (content === undefined) return undefined;
  const { answer = choices[0]?.value } = content;
  return choices.find(({ value }) => value === answer)?.value;
}
