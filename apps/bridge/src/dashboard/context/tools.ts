import {
  type CallableTool,
  callable,
  changes,
  factsOf,
  type Kind,
  type Kinds,
  readOnly,
  type Target,
  type Tool,
  type ToolContext,
  ToolError,
  type ToolFacts,
  type ToolOutcome,
  tools,
} from "@ccbridge/mcp-tools";
import {
  LinkError,
  LinkErrorCode,
  linkedComputers,
  type ProviderPort,
  selectorOf,
} from "@ccbridge/registry";

// The tools that pages call: built-in ones, polls, and those of the bridge itself.

export function builtIn(name: string): CallableTool {
  return callable(toolNamed(name));
}

function toolNamed(name: string, kinds: readonly Kind[] = []): Tool {
  const added = kinds.flatMap((kind) => Object.values(kind.tools).flat());
  const tool = [...tools, ...added].find((each) => each.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool;
}

export function factsFrom({ structured }: ToolOutcome): Readonly<Record<string, unknown>> {
  return structured?.() ?? {};
}

export function atComputer<Outcome>(
  tool: CallableTool<Outcome>,
  key: string,
): CallableTool<Outcome> {
  return {
    facts: tool.facts,
    async read(args, context) {
      const computers = await linkedComputers(context.providers);
      const computer = computers.find((each) => each.key === key);
      if (computer === undefined) throw notLinked();
      const computerId = selectorOf(computer.provider, computers);
      return tool.read({ computerId, ...Object(args) }, context);
    },
  };
}

export function notLinked(): LinkError {
  return new LinkError(LinkErrorCode.notLinked, "This computer is not linked now.");
}

export interface PollSubject {
  readonly subject: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly findTargets?: (providers: ProviderPort) => Promise<readonly Target[]>;
  readonly holdsTargets?: boolean;
}

export function pollTool<Data>(
  facts: ToolFacts,
  { subject, args, findTargets = async () => [], holdsTargets = false }: PollSubject,
  read: (context: ToolContext) => Data | Promise<Data>,
): CallableTool<{ readonly data: Data }> {
  const polls = `dashboard ${subject}`;
  const run = async (context: ToolContext) => ({ data: await read(context) });
  return { facts, read: () => ({ tool: facts, args, polls, holdsTargets, findTargets, run }) };
}

export function polled<Outcome>(
  tool: CallableTool<Outcome>,
  subject: string,
): CallableTool<Outcome> {
  const polls = `dashboard ${subject}`;
  return {
    facts: tool.facts,
    read: async (args, context) => ({ ...(await tool.read(args, context)), polls }),
  };
}

export function shownBy(name: string, kinds?: Kinds): ToolFacts {
  return factsOf(toolNamed(name, kinds?.all));
}

export function bridgeFacts(name: string, who: "all" | "owners"): ToolFacts {
  const isForOwners = who === "owners";
  return { name, annotations: readOnly, isOffered: false, isForOwners, isForAll: !isForOwners };
}

/** What it returns is for the page alone, and not recorded. */
export function ownersTool<Result extends object = object>(
  name: string,
  run: () => Result | undefined | Promise<Result | undefined>,
): CallableTool<object> {
  const facts = { name, annotations: changes, isOffered: false, isForOwners: true };
  return {
    facts,
    read: (args) => ({
      tool: facts,
      args: Object(args),
      findTargets: async () => [],
      async run() {
        return (await run()) ?? {};
      },
    }),
  };
}

export function refusal(message: string): ToolError {
  return new ToolError(message, "Nothing was done.");
}
