import type { ContentBlock } from "@ccbridge/protocol/btcp";
import type { ChangeFilter, PortChange, ProviderPort } from "@ccbridge/registry";
import type { ClientLine } from "./client-line.js";
import type { ToolSettings } from "./define.js";
import type { Target } from "./targets.js";

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

export interface ReadContext {
  providers: ProviderPort;
  settings: ToolSettings;
}

export type Complete = (typed: string, context: ReadContext) => string[] | Promise<string[]>;

export type Variables = Readonly<Record<string, string>>;

export interface ResourceEntry {
  uri: string;
  name: string;
  title: string;
  description: string;
  _meta?: Record<string, unknown>;
}

/** The content of a resource; bytes as base64. */
export type ResourceContent = ({ text: string } | { blob: string }) & {
  mimeType?: string;
  _meta?: Record<string, unknown>;
};

export interface ChangeSource extends ChangeFilter<PortChange["topic"]> {
  readonly topics: readonly PortChange["topic"][];
  /** Whether a change counts, where topic and provider do not decide that. */
  counts?(change: PortChange): boolean;
}

/**
 * Something that a client can read and follow by its address. Without variables it is a single resource,
 * with variables it stands for many.
 */
export interface Resource {
  name: string;
  title: string;
  description: string;
  mimeType: string;
  /** The tool that shows the same: a client that may not use the tool does not see the resource either. */
  shownBy: string;
  template: string;
  /** Whether it is a view for clients that render MCP Apps. Other clients may read it, but do not see it listed. */
  isApp?: true;
  /** Those that exist now. Left out if there are too many to list. */
  list?(context: ReadContext): Promise<ResourceEntry[]>;
  complete?: Readonly<Record<string, Complete>>;
  findTargets?(variables: Variables, providers: ProviderPort): Promise<readonly Target[]>;
  /** Throws a {@link ResourceNotFound} if there is no such resource. */
  read(variables: Variables, context: ReadContext): Promise<ResourceContent>;
  changedBy?(variables: Variables): ChangeSource;
  /** The least time between two announcements of a change. @default 1000 */
  readonly announceMs?: number;
  /** What announcements carry besides the address: each call gives what is new since the last one. */
  news?(variables: Variables, context: ReadContext): () => Promise<ResourceNews>;
  /**
   * For content that changes without a message from the provider: calls back after each change, until the
   * returned function is called. The thing need not exist yet. Rejects when it cannot be followed.
   */
  follow?(variables: Variables, context: ReadContext, changed: () => void): Promise<() => void>;
}

export interface ResourceNews {
  /** For `_meta` of the notification; undefined when nothing is new. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** Whether there is more than fits into one notification. */
  readonly hasMore: boolean;
}

export interface FoundResource {
  resource: Resource;
  variables: Variables;
}

export class ResourceNotFound extends Error {
  override readonly name = "ResourceNotFound";
}

/** Reads a template's variables from an address; undefined when the address does not match. */
export function matchTemplate(template: string, uri: string): Variables | undefined {
  const names: string[] = [];
  const source = template.replace(
    /\{(\+?)(\w+)\}|[^{]+/g,
    (part, rest: string | undefined, name: string | undefined) => {
      if (name === undefined) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      names.push(name);
      return rest === "+" ? "(.+)" : "([^/?#]+)";
    },
  );
  const found = new RegExp(`^${source}$`).exec(uri);
  if (found === null) return undefined;
  try {
    const values = found.slice(1).map(decodeURIComponent);
    return Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
  } catch {
    // Not a percent encoding.
    return undefined;
  }
}
