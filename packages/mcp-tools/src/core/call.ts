import { type ChangeLog, LinkError, type ProviderPort } from "@ccbridge/registry";
import { annotationsOf, type ToolAnnotations } from "./annotations.js";
import { readArguments } from "./arguments.js";
import type { Tool, ToolContext, ToolOutcome, ToolSettings } from "./define.js";
import { ToolError } from "./errors.js";
import { findTargets, type Target, targetArgumentsOf } from "./targets.js";

export const QUIET_MS = 8_000;

export interface Progress {
  end(): void;
}

export const silent: Progress = { end: () => {} };

export function reportWaiting(
  message: string,
  send: ((message: string) => void) | undefined,
): Progress {
  if (send === undefined) return silent;
  const startedAt = performance.now();
  const timer = setInterval(() => {
    send(`${message}, for ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  }, QUIET_MS);
  return { end: () => clearInterval(timer) };
}

export interface ToolFacts {
  readonly name: string;
  /** Its annotations; without any, a tool may do anything. */
  readonly annotations: ToolAnnotations;
  /** Whether a provider offers it, rather than the bridge. */
  readonly isOffered: boolean;
  /** Whether it manages the bridge itself, which only its owners may do. */
  readonly isForOwners: boolean;
  /** Whether every client may use it: it shows the bridge itself, or what the client did. */
  readonly isForAll?: boolean;
  readonly kind?: string | undefined;
  readonly secrets?: readonly string[] | undefined;
}

export interface ReadCall<Outcome = ToolOutcome> {
  /** What runs in the end: a tool may call another one. */
  readonly tool: ToolFacts;
  readonly args: Readonly<Record<string, unknown>>;
  /** Set for a call that polls one thing: the calls of a minute count as one. */
  readonly polls?: string | undefined;
  /** Whether its targets work for it between the calls: each call that counts, counts for them. */
  readonly holdsTargets?: boolean;
  /** What it acts on. Rejects when that cannot be found. */
  findTargets(providers: ProviderPort, changes?: ChangeLog): Promise<readonly Target[]>;
  run(context: ToolContext): Promise<Outcome>;
}

export interface CallableTool<Outcome = ToolOutcome> {
  readonly facts: ToolFacts;
  read(args: unknown, context: ToolContext): ReadCall<Outcome> | Promise<ReadCall<Outcome>>;
}

export function factsOf(tool: Tool): ToolFacts {
  return {
    name: tool.name,
    annotations: annotationsOf(tool),
    isOffered: false,
    isForOwners: tool.isForOwners === true,
    kind: tool.kind,
    secrets: tool.secrets,
  };
}

/** The arguments of a call without its secrets; of an address only the host is left. */
export function withoutSecrets(args: unknown, { secrets }: ToolFacts): unknown {
  if (secrets === undefined || typeof args !== "object" || args === null) return args;
  const hidden = Object.entries(args).map(([name, value]) => {
    if (!secrets.includes(name)) return [name, value];
    return [name, URL.canParse(String(value)) ? new URL(String(value)).host : "[secret]"];
  });
  return Object.fromEntries(hidden);
}

const callables = new WeakMap<Tool, CallableTool>();

export function callable(tool: Tool): CallableTool {
  let made = callables.get(tool);
  if (made === undefined) {
    made = makeCallable(tool);
    callables.set(tool, made);
  }
  return made;
}

function makeCallable(tool: Tool): CallableTool {
  const facts = factsOf(tool);
  const named = targetArgumentsOf(tool.input);
  return {
    facts,
    read(given, context) {
      const { settings } = context;
      const read = readArguments(tool, given ?? {}, settings.kinds.aliases);
      if (!read.ok) {
        throw new ToolError(
          read.problem,
          `Nothing was done. Correct this and call ${tool.name} again.`,
        );
      }
      const args = read.value;
      if (tool.callsAnother !== undefined) return tool.callsAnother(args, context);
      const addHint = addingHints(tool.kind, settings);
      return {
        tool: facts,
        args,
        polls: tool.polls?.(args),
        findTargets: (providers, changes) =>
          (
            tool.findTargets?.(args, { ...context, providers, changes }) ??
            findTargets(named, args, providers)
          ).catch(addHint),
        run: (own) => tool.handler(args, own).catch(addHint),
      };
    },
  };
}

/** Gives errors of the link the hints of a kind, and throws them again. */
export function addingHints(kind: string | undefined, settings: ToolSettings) {
  return (error: unknown): never => {
    if (error instanceof LinkError) {
      const known = settings.kinds.get(kind);
      error.hint ??= known?.hint?.(error.code, settings);
      error.wireCode ??= known?.wireCode?.(error.code);
    }
    throw error;
  };
}
