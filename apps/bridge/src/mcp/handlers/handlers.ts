import {
  answer,
  type ClientLine,
  type Complete,
  findResource,
  type LogLevel,
  listResources,
  readableResource,
  type ToolContext,
  UnknownToolError,
} from "@ccbridge/mcp-tools";
import type { Cancellation } from "@ccbridge/registry";
import { RpcErrorCode } from "../../http/errors.js";
import { mapNotFound, RpcError, throwNotFound, unknownNameError } from "./rpc-error.js";
import type { McpSession } from "./session.js";

const MAX_COMPLETIONS = 100;

export interface McpCall {
  /** Aborted when the client cancels: the job in the game stops. */
  readonly signal: Cancellation;
  /** Aborted when the client no longer waits, also because it disconnected. */
  readonly gone: Cancellation;
  readonly line: ClientLine;
  readonly program: string | undefined;
  readonly rendersApps: boolean;
  readonly progress: ((message: string) => void) | undefined;
}

type Params = Readonly<Record<string, unknown>>;
type Handler = (session: McpSession, params: Params, call: McpCall) => Promise<object> | object;

export const handlers = {
  "tools/list": async ({ tools }) => ({ tools: await tools.list() }),
  "tools/call": callTool,
  "resources/list": listAll,
  "resources/templates/list": ({ resources }) => ({
    resourceTemplates: resources
      .filter(({ template }) => template.includes("{"))
      .map(({ name, title, description, mimeType, template }) => ({
        ...{ name, title, description, mimeType },
        uriTemplate: template,
      })),
  }),
  "resources/read": readResource,
  "resources/subscribe": subscribe,
  "resources/unsubscribe": ({ subscriptions }, { uri }) => {
    subscriptions.unsubscribe(String(uri));
    return {};
  },
  "prompts/list": ({ services }) => ({
    prompts: services.prompts.map(({ name, title, description, arguments: args }) => ({
      ...{ name, title, description },
      arguments: args.map(({ complete: _, ...argument }) => argument),
    })),
  }),
  "prompts/get": getPrompt,
  "completion/complete": complete,
  "logging/setLevel": (session, { level }) => {
    session.logLevel = level as LogLevel;
    return {};
  },
} as const satisfies Readonly<Record<string, Handler>>;

export type Method = keyof typeof handlers;

async function callTool(session: McpSession, params: Params, call: McpCall): Promise<object> {
  const { tools, caller, services } = session;
  const name = String(params.name);
  const context = contextOf(session, call);
  const run = () =>
    services.pipeline.run({
      caller,
      find: () => tools.find(name),
      args: params.arguments,
      context,
    });
  try {
    return await answer(run, context.settings, session.wantsFacts);
  } catch (error) {
    if (!(error instanceof UnknownToolError)) throw error;
    throw unknownNameError("tool", name, error.names);
  }
}

function contextOf(session: McpSession, call: McpCall): ToolContext {
  const { line, signal, gone, program, progress } = call;
  // A client that wants log messages but no progress gets the progress of its call in the log.
  const log = line.hears("info") ? (message: string) => line.log("info", message) : undefined;
  const { context } = session;
  // Made for each call, so without a spread, which takes longer than all of these.
  return {
    signal,
    gone,
    line,
    client: program,
    progress: progress ?? log,
    providers: context.providers,
    settings: context.settings,
    offered: context.offered,
    allows: context.allows,
    permissions: context.permissions,
    alerts: context.alerts,
    history: context.history,
    // The pipeline gives each call its own.
    targets: undefined,
    changes: undefined,
    pairing: context.pairing,
    capabilities: context.capabilities,
    servers: context.servers,
    results: context.results,
    hostFolders: context.hostFolders,
  } satisfies Record<keyof ToolContext, unknown>;
}

async function listAll(session: McpSession, { cursor }: Params, call: McpCall): Promise<object> {
  const { resources, context } = session;
  const listed = call.rendersApps ? resources : resources.filter(({ isApp }) => isApp !== true);
  const from = cursor === undefined ? undefined : String(cursor);
  const list = await listResources(context, from, listed).catch((error) => throwNotFound(error));
  const { entries, next } = list;
  return { resources: entries, ...(next === undefined ? {} : { nextCursor: next }) };
}

async function readResource(session: McpSession, params: Params, call: McpCall): Promise<object> {
  const { services, caller } = session;
  const uri = String(params.uri);
  const context = contextOf(session, call);
  const content = await services.pipeline
    .run({ caller, find: () => readableResource(uri, services.resources), args: { uri }, context })
    .catch((error) => throwNotFound(error, uri));
  return { contents: [{ uri, ...content }] };
}

async function subscribe(session: McpSession, params: Params): Promise<object> {
  const uri = String(params.uri);
  await session.subscribe(uri).catch((error) => throwNotFound(error, uri));
  return {};
}

async function getPrompt(session: McpSession, params: Params, { line }: McpCall): Promise<object> {
  const { services, context } = session;
  const { prompts, tools } = services;
  const name = String(params.name);
  const prompt = prompts.find((each) => each.name === name);
  if (prompt === undefined) {
    const names = prompts.map((each) => each.name);
    throw unknownNameError("prompt", name, names);
  }
  const args = (params.arguments ?? {}) as Readonly<Record<string, string>>;
  const missing = prompt.arguments.find((each) => each.required && !args[each.name]);
  if (missing !== undefined) {
    const text = `${prompt.name} needs ${missing.name}: ${missing.description}`;
    throw new RpcError(RpcErrorCode.invalidParams, text);
  }
  const hasTool = (tool: string) => tools.some((each) => each.name === tool);
  const content = await prompt.content(args, { ...context, hasTool, line });
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return {
    description: prompt.description,
    messages: blocks.map((block) => ({ role: "user", content: block })),
  };
}

async function complete(session: McpSession, params: Params): Promise<object> {
  const { ref, argument } = params as unknown as {
    ref: { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };
    argument: { name: string; value: string };
  };
  const suggest = completionOf(session, ref, argument.name);
  const values = (await suggest?.(argument.value, session.context)) ?? [];
  const hasMore = values.length > MAX_COMPLETIONS;
  return {
    completion: { values: values.slice(0, MAX_COMPLETIONS), total: values.length, hasMore },
  };
}

function completionOf(
  { services: { prompts }, resources }: McpSession,
  ref: { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string },
  argument: string,
): Complete | undefined {
  if (ref.type === "ref/prompt") {
    const prompt = prompts.find(({ name }) => name === ref.name);
    if (prompt === undefined) {
      const names = prompts.map(({ name }) => name);
      throw unknownNameError("prompt", ref.name, names);
    }
    return prompt.arguments.find(({ name }) => name === argument)?.complete;
  }
  const { uri } = ref;
  const known = resources.find(({ template }) => template === uri);
  const { complete } = known ?? mapNotFound(() => findResource(uri, resources), uri).resource;
  return complete !== undefined && Object.hasOwn(complete, argument)
    ? complete[argument]
    : undefined;
}
