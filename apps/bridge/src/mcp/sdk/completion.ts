import {
  type Complete,
  findResource,
  type LookContext,
  type Prompt,
  type Resource,
} from "@ccbridge/mcp-tools";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CompleteRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { mapNotFound, unknownNameError } from "./errors.js";

/** MCP lets an answer hold this many suggestions. */
const MAX_COMPLETIONS = 100;

export interface RegisterCompletionOptions {
  context: LookContext;
  resources: readonly Resource[];
  prompts: readonly Prompt[];
}

/** Suggests values for the addresses of resources and the arguments of prompts. */
export function registerCompletion(server: Server, options: RegisterCompletionOptions): void {
  server.setRequestHandler(CompleteRequestSchema, async ({ params: { ref, argument } }) => {
    const complete = completionOf(options, ref, argument.name);
    const values = (await complete?.(argument.value, options.context)) ?? [];
    const hasMore = values.length > MAX_COMPLETIONS;
    const shown = values.slice(0, MAX_COMPLETIONS);
    return { completion: { values: shown, total: values.length, hasMore } };
  });
}

type CompletionRef = { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };

function completionOf(
  { prompts, resources }: RegisterCompletionOptions,
  ref: CompletionRef,
  argument: string,
): Complete | undefined {
  if (ref.type === "ref/prompt") {
    const prompt = prompts.find(({ name }) => name === ref.name);
    if (prompt === undefined)
      throw unknownNameError(
        "prompt",
        ref.name,
        prompts.map(({ name }) => name),
      );
    return prompt.arguments.find(({ name }) => name === argument)?.complete;
  }
  const { uri } = ref;
  const known = resources.find(({ template }) => template === uri);
  const { complete } = known ?? mapNotFound(() => findResource(uri, resources), uri).resource;
  return complete !== undefined && Object.hasOwn(complete, argument)
    ? complete[argument]
    : undefined;
}
