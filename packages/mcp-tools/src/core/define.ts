import type { ContentBlock } from "@ccbridge/protocol/btcp";
import type { Cancellation, ChangeLog, History, ProviderPort } from "@ccbridge/registry";
import type { z } from "zod";
import type { AlertsAccess } from "./alerts.js";
import type { ToolAnnotations } from "./annotations.js";
import type { ReadCall } from "./call.js";
import type { ClientLine } from "./client-line.js";
import type { Kinds } from "./kind.js";
import type { HostFolders, KindServices } from "./kind-services.js";
import type { OfferedToolList } from "./offered.js";
import type { Target } from "./targets.js";

export interface ToolSettings {
  probeTimeoutMs: number;
  execWaitMs: number;
  cancelGraceMs: number;
  structured: boolean;
  /** When the bridge started, in milliseconds since 1970. */
  readonly startedAt?: number;
  /** What to type in the game to link a provider, for hints. */
  linkCommand: string;
  waiting?(): number;
  readonly kinds: Kinds;
}

export interface GrantedPermission {
  readonly id: string;
  readonly client: string;
  readonly tool: string | undefined;
  readonly targets: readonly Target[];
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly grantedBy: string;
}

export interface PermissionsAccess {
  list(): readonly GrantedPermission[];
  /** Ends one before its time; undefined when it does not hold any more. */
  revoke(id: string): GrantedPermission | undefined;
  subscribe(listener: () => void): () => void;
}

export interface ToolContext extends KindServices {
  /** The only access that a tool has to the game. */
  providers: ProviderPort;
  settings: ToolSettings;
  offered: OfferedToolList;
  client?: string | undefined;
  /** Aborted when the client cancels the call: what the call began in the game stops. */
  signal: Cancellation;
  /**
   * Aborted when no client waits for the answer, because the call was cancelled or the client went away:
   * waiting and looking end, but what the call started continues. Without it only a cancelled call ends early.
   */
  gone?: Cancellation | undefined;
  line?: ClientLine | undefined;
  progress?: ((message: string) => void) | undefined;
  permissions?: PermissionsAccess | undefined;
  alerts?: AlertsAccess | undefined;
  /** The past, as far as this client may know it. */
  history?: History | undefined;
  /** What the arguments name, where the pipeline has found it already: of a list or a group, all. */
  targets?: readonly Target[] | undefined;
  /** What this call changes is kept here, so that it can be undone; absent where nothing is kept. */
  changes?: ChangeLog | undefined;
  /** Whether this client may use another tool; all of them without it. */
  allows?: ((tool: string) => boolean) | undefined;
  /** Folders on the bridge's machine that may be mirrored; absent when there are none. */
  hostFolders?: HostFolders | undefined;
}

export interface ToolImage {
  data: string;
  mimeType: string;
}

/** A finished call. `text` says everything by itself; `structured` says it again for programs. */
export interface ToolOutcome {
  /** What comes from the game is set apart in it, see `format/set-apart.ts`. */
  text: string;
  /**
   * Called only where programs want it. Absent only for a tool without an output schema: clients check that the two
   * match.
   */
  structured?: () => Record<string, unknown>;
  /** Shown after the text. Some clients lose a picture beside structured content, so never both. */
  image?: ToolImage;
  blocks?: readonly ContentBlock[];
  forView?: Record<string, unknown>;
  meta?: Record<string, unknown>;
  isError?: boolean;
}

export interface Tool<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  name: string;
  title: string;
  description: string;
  input: Input;
  /** What `structured` looks like; absent when an answer may be without it. */
  output?: Output;
  annotations?: ToolAnnotations;
  kind?: string;
  /** Listed only while a provider of this kind is linked; see also WAITING. It may be called at any time. */
  listedWith?: string;
  /** Listed only while there are any of these. It may be called at any time. */
  listedWhile?: "permissions";
  view?: string;
  /** What its calls change, for a summary of the history: "files written". */
  effect?: string;
  isForOwners?: boolean;
  /** Arguments with secrets: the audit and the history get what {@link withoutSecrets} leaves of them. */
  secrets?: readonly string[];
  polls?(args: z.output<Input>): string | undefined;
  /** For a tool that calls another one: the call that is made in its place. */
  callsAnother?(args: z.output<Input>, context: ToolContext): Promise<ReadCall>;
  /** What it acts on, where no argument names that. Rejects with the error that the tool itself would give. */
  findTargets?(
    args: z.output<Input>,
    context: Omit<ToolContext, "signal">,
  ): Promise<readonly Target[]>;
  handler(args: z.output<Input>, context: ToolContext): Promise<ToolOutcome>;
}

/** For a tool that is listed only while a provider waits that the client may approve. */
export const WAITING = "waiting";

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool {
  // A handler is only ever called with what its own schema parsed.
  return tool as unknown as Tool;
}
