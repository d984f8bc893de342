import {
  type Alert,
  type AlertProvider,
  type CallableTool,
  callable,
  changes,
  explain,
  type ShowCall,
  type ToolContext,
} from "@ccbridge/mcp-tools";
import type { Provider } from "@ccbridge/registry";
import type { ViewerCalls } from "../dashboard/context/viewer-calls.js";
import type { Webhooks } from "./webhooks.js";

interface Outcome {
  readonly text: string;
  readonly isError: boolean;
  readonly problems: readonly string[];
}

/**
 * Takes a text everywhere that an alert names, and resolves with what was not reached. The delivery is a call of the
 * client, and what it shows in the game is another: rights, rates and audit are those of any call.
 */
export async function deliver(
  {
    calls,
    webhooks,
    provider,
  }: { calls: ViewerCalls; webhooks: Webhooks; provider: Pick<Provider, "key" | "name"> },
  alert: Alert,
  text: string,
): Promise<readonly string[]> {
  const { id } = alert;
  const facts = {
    ...{ name: "alert", annotations: changes },
    ...{ isOffered: false, isForOwners: false, isForAll: true },
  };
  const tool: CallableTool<Outcome> = {
    facts,
    read: (args) => ({
      tool: facts,
      args: Object(args),
      findTargets: async () => [{ key: provider.key, name: provider.name }],
      async run({ settings }) {
        const all = await Promise.all(placesOf(alert, text, { calls, settings, webhooks }));
        const problems = all.filter((problem) => problem !== undefined);
        const failed = problems.length === 0 ? "" : ` Not delivered: ${problems.join("; ")}.`;
        return { text: `${text}${failed}`, isError: problems.length > 0, problems };
      },
    }),
  };
  try {
    const { problems } = await calls.run(tool, { alert: id, text });
    return problems;
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

interface Means {
  readonly calls: ViewerCalls;
  readonly settings: ToolContext["settings"];
  readonly webhooks: Webhooks;
}

function placesOf(
  { chat, screen, webhook }: Alert,
  text: string,
  means: Means,
): Promise<string | undefined>[] {
  const { settings, webhooks } = means;
  const showsOf = ({ kind }: AlertProvider) => settings.kinds.get(kind)?.shows;
  const places: Promise<string | undefined>[] = [];
  if (chat !== undefined) {
    const call = showsOf(chat.by)?.inChat?.(text, chat.to);
    places.push(show(chat.by, call, means).then(named("the chat")));
  }
  if (screen !== undefined) {
    const call = showsOf(screen.on)?.onScreen?.(text, screen.monitor);
    places.push(show(screen.on, call, means).then(named("the screen")));
  }
  if (webhook !== undefined) {
    const post = { time: Date.now(), title: "ccbridge", text };
    places.push(webhooks.post(webhook, post).then(named("the webhook")));
  }
  return places;
}

const named = (place: string) => (problem: string | undefined) =>
  problem === undefined ? undefined : `${place}: ${problem}`;

async function show(
  { key, name, kind }: AlertProvider,
  call: ShowCall | undefined,
  { calls, settings }: Means,
): Promise<string | undefined> {
  if (call === undefined) return `${name} cannot show it`;
  const { tool, args } = call;
  if (!calls.allows(tool.name)) return `this client may not use ${tool.name}`;
  const port = calls.only(key);
  try {
    const provider = (await port.get(key))?.provider;
    if (provider === undefined) return `${name} is not linked`;
    const { name: argument, refOf } = settings.kinds.get(kind)?.selectorArguments ?? { name: "" };
    const selected = refOf === undefined ? {} : { [argument]: refOf(provider, [provider]) };
    const { isError, text } = await calls.run(callable(tool), { ...selected, ...args }, port);
    return isError === true ? text.split("\n")[0] : undefined;
  } catch (error) {
    return explain(error, settings).message;
  }
}
