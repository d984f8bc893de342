import { eventTypes, toolNames } from "@ccbridge/protocol/minecraft";
import { computerName, linkedComputers, linkedServers, type ServerView } from "@ccbridge/registry";
import { z } from "zod";
import { readOnly } from "../../core/annotations.js";
import { offsetOf } from "../../core/arguments.js";
import { defineTool, type ToolContext } from "../../core/define.js";
import { inline, quoted } from "../../format/set-apart.js";
import { pageOf } from "../../format/text.js";
import { policyOf } from "./server.js";

export const listServers = defineTool({
  name: "list-servers",
  title: "List Minecraft servers",
  description:
    "Lists the Minecraft servers that are linked now, and what each can do. The other server " +
    "tools take its name as `server`.",
  input: z.object({ offset: offsetOf("servers") }),
  output: z.object({
    servers: z.array(
      z.object({
        server: z.string(),
        state: z.string(),
        game: z.string().nullable(),
        route: z.string().nullable(),
        agent: z.string().nullable(),
        tools: z.array(z.string()),
        events: z.array(z.string()),
        notes: z.record(z.string(), z.string()),
      }),
    ),
  }),
  annotations: readOnly,
  async handler({ offset }, context) {
    const servers = await linkedServers(context.providers);
    const { items, next } = pageOf(
      servers.map((view) => describe(view, context)),
      offset,
      PAGE_BYTES,
    );
    const parts = [
      ...(servers.length === 0
        ? [
            "No Minecraft server is linked. The owner of a server can run ccbridge's server agent beside it, or a mod that speaks the protocol in it.",
          ]
        : items),
      ...(next === undefined
        ? []
        : [`${servers.length - next} more: call list-servers with offset ${next}.`]),
      ...(await offers(servers, context)),
    ];
    return { text: parts.join("\n\n"), structured: () => ({ servers: servers.map(facts) }) };
  },
});

const PAGE_BYTES = 9_000;
const MAX_OFFERS = 8;

async function offers(
  servers: readonly ServerView[],
  { providers }: ToolContext,
): Promise<string[]> {
  const used = new Set(servers.map(({ provider }) => provider.through?.key));
  return (await linkedComputers(providers))
    .filter(({ key, provider }) => provider.methods.includes("server-describe") && !used.has(key))
    .slice(0, MAX_OFFERS)
    .map(
      ({ provider }) =>
        `Computer ${computerName(provider)} offers to be a Minecraft server, but is not one: its screen and the bridge's log say why. Usually the owner of the bridge has not allowed it with MINECRAFT_COMMAND_COMPUTERS.`,
    );
}

export function facts({ provider, state }: ServerView) {
  const { serverName, game, route, agent, methods, events, notes } = provider;
  return {
    server: serverName,
    state,
    game,
    route,
    agent,
    tools: [...methods],
    events: [...events],
    notes: { ...notes },
  };
}

function describe({ provider, state }: ServerView, context: ToolContext): string {
  const { tools } = policyOf(context);
  const { serverName, game, route, agent, methods, events, notes } = provider;
  const off = toolNames.filter((name) => methods.includes(name) && !tools.has(name));
  const missing = [...toolNames, ...eventTypes].filter(
    (name) => !methods.includes(name) && !events.includes(name),
  );
  const names = (all: readonly string[]) => all.map((name) => inline(name)).join(", ");
  const about = [
    state,
    game === null ? null : inline(game),
    route === null ? null : `by ${inline(route)}`,
    agent === null ? null : inline(agent),
  ].filter((part) => part !== null);
  return [
    `${serverName}: ${about.join("; ")}`,
    `  can ${names(methods.filter((name) => !off.some((other) => other === name))) || "nothing"}`,
    ...(off.length === 0
      ? []
      : [`  switched off on this bridge for this client: ${off.join(", ")}`]),
    `  sends ${names(events) || "no events"}`,
    ...missing.map(
      (name) =>
        `  cannot ${name}: ${noteOf(notes[name]) ?? "not supported by the way it is linked"}`,
    ),
    ...Object.entries(notes)
      .filter(([name]) => methods.includes(name))
      .map(([name, note]) => `  ${inline(name)}: ${noteOf(note)}`),
  ].join("\n");
}

function noteOf(note: string | undefined): string | undefined {
  return note === undefined ? undefined : quoted(note, 500);
}
