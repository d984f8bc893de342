import {
  DEFAULT_SERVER_NAME,
  documentedTools,
  eventTypes,
  type Hello,
} from "@ccbridge/protocol/minecraft";
import type { ProviderPort, ProviderView } from "../../port.js";
import type { Provider } from "../../provider.js";
import { printable } from "../../text.js";

export const MINECRAFT = "minecraft";

export interface ServerProvider extends Provider {
  readonly kind: typeof MINECRAFT;
  /** What people call it: unique among those that are linked. */
  readonly serverName: string;
  /** What links it, what runs the game, and how the one reaches the other; null when it did not say. */
  readonly agent: string | null;
  readonly game: string | null;
  readonly route: string | null;
  readonly events: readonly string[];
  /** What is missing or partial, and what would give it, by the name of a tool or event. */
  readonly notes: Readonly<Record<string, string>>;
  /** The provider over whose link it comes: who may not know of the one may not know of the other. */
  readonly through?: Provider | undefined;
}

export function isServer(provider: Provider): provider is ServerProvider {
  return provider.kind === MINECRAFT;
}

export function serverKey(name: string): string {
  return `${MINECRAFT}:${name}`;
}

export const SERVER_NAME_RULE = "A server's name is 1 to 32 letters, digits, dots and hyphens.";

export function isServerName(name: string): boolean {
  return /^[\w.-]{1,32}$/.test(name);
}

export function identifyServer(
  name: string | undefined,
  hello: Hello | undefined,
  through?: Provider,
): ServerProvider {
  const serverName = name ?? DEFAULT_SERVER_NAME;
  const { agent, game, route, capabilities } = hello ?? {};
  const notes = Object.entries(capabilities?.notes ?? {}).slice(0, 64);
  const shown = (...parts: (string | undefined)[]) =>
    printable(parts.filter((part) => part !== undefined).join(" ")).trim() || null;
  return {
    kind: MINECRAFT,
    key: serverKey(serverName),
    name: `server ${serverName}`,
    serverName,
    methods: capabilities?.tools.map(printable) ?? documentedTools,
    features: [],
    agent: shown(agent?.name, agent?.version),
    game: shown(game?.software, game?.version),
    route: shown(route),
    events: capabilities?.events.map(printable) ?? eventTypes,
    notes: Object.fromEntries(notes.map(([about, note]) => [printable(about), printable(note)])),
    through,
  };
}

// The words of this dialect for those who look through a port.

export type ServerView = ProviderView<ServerProvider>;

/** Selects a server by its name, or the only one, for what takes providers of any kind. */
export function serverRef(ref: string | undefined) {
  return { kind: MINECRAFT, ref } as const;
}

/** The one server that a selector names. Rejects with a LinkError that names the candidates. */
export async function findServer(
  port: ProviderPort,
  name: string | undefined,
): Promise<ServerView> {
  const view = await port.find(serverRef(name));
  if (isServerView(view)) return view;
  throw new Error(`${view.name} was found among the servers`);
}

export async function linkedServers(port: ProviderPort): Promise<readonly ServerView[]> {
  return (await port.list(MINECRAFT)).filter(isServerView);
}

function isServerView(view: ProviderView): view is ServerView {
  return isServer(view.provider);
}
