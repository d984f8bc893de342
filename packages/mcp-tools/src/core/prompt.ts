import type { ContentBlock } from "@ccbridge/protocol/btcp";
import type { ClientLine } from "./client-line.js";
import type { Complete, ReadContext } from "./resource.js";

export interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
  complete?: Complete;
}

export interface PromptContext extends ReadContext {
  hasTool(name: string): boolean;
  line?: ClientLine | undefined;
}

export interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: readonly PromptArgument[];
  content(
    args: Readonly<Record<string, string>>,
    context: PromptContext,
  ): Promise<string | readonly ContentBlock[]>;
}
