import {
  type CallableTool,
  callable,
  changes,
  factsOf,
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

// The tools that pages call: the built-in ones, looks that repeat, and what concerns the bridge itself.

/** The built-in tool with a name, whether or not clients are offered it. */
export function builtIn(name: string): CallableTool {
  return callable(toolNamed(name));
}

function toolNamed(name: string): Tool {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool;
}

/** What a tool found, for programs. */
export function factsFrom({ structured }: ToolOutcome): Readonly<Record<string, unknown>> {
  return structured?.() ?? {};
}

/** A tool that is called for the computer with a key. Its arguments are those beside the computer. */
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
      const computerId = selectorOf(computer.identity, computers);
      return tool.read({ computerId, ...Object(args) }, context);
    },
  };
}

export function notLinked(): LinkError {
  return new LinkError(LinkErrorCode.notLinked, "This computer is not linked now.");
}

/** What a page looks at again and again. */
export interface PollSubject {
  /** Distinguishes what one page looks at with the same tool. */
  readonly subject: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly findTargets?: (providers: ProviderPort) => Promise<readonly Target[]>;
  /** Whether its targets work for it between the looks. */
  readonly holdsTargets?: boolean;
}

/** A look, as a call that repeats: the looks of a minute count as one. */
export function pollTool<Data>(
  facts: ToolFacts,
  { subject, args, findTargets = async () => [], holdsTargets = false }: PollSubject,
  read: (context: ToolContext) => Data | Promise<Data>,
): CallableTool<{ readonly data: Data }> {
  const polls = `dashboard ${subject}`;
  const run = async (context: ToolContext) => ({ data: await read(context) });
  return { facts, read: () => ({ tool: facts, args, polls, holdsTargets, findTargets, run }) };
}

/** The same for a tool that gives all that is looked at. */
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

/** The right to look at what a built-in tool shows. */
export function shownBy(name: string): ToolFacts {
  return factsOf(toolNamed(name));
}

/** The right to look at the bridge itself: for all pages, or for its owners. */
export function bridgeFacts(name: string, who: "all" | "owners"): ToolFacts {
  const isForOwners = who === "owners";
  return { name, annotations: readOnly, isOffered: false, isForOwners, isForAll: !isForOwners };
}

/** Something that only owners of the bridge do. */
export function ownersTool(
  name: string,
  run: () => void | Promise<void>,
): CallableTool<Record<string, never>> {
  const facts = { name, annotations: changes, isOffered: false, isForOwners: true };
  return {
    facts,
    read: (args) => ({
      tool: facts,
      args: Object(args),
      findTargets: async () => [],
      async run() {
        await run();
        return {};
      },
    }),
  };
}

/** An error that a page shows. */
export function refusal(message: string): ToolError {
  return new ToolError(message, "Nothing was done.");
}
