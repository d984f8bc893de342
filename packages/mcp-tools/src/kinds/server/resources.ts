import { eventTypes } from "@ccbridge/protocol/minecraft";
import {
  findServer,
  isServer,
  LinkError,
  linkedServers,
  type ProviderPort,
  serverKey,
} from "@ccbridge/registry";
import { ToolError } from "../../core/errors.js";
import {
  type Complete,
  type ReadContext,
  type Resource,
  type ResourceNews,
  ResourceNotFound,
  type Variables,
} from "../../core/resource.js";
import { toJson } from "../../format/set-apart.js";
import { findEvents, requireTypes, type ServerEvent, toServerEvent, wanted } from "./events.js";
import { facts } from "./list-servers.js";

export const serversResource: Resource = {
  name: "servers",
  title: "Linked Minecraft servers",
  description: "The Minecraft servers that are linked now, and what each can do, as JSON.",
  mimeType: "application/json",
  shownBy: "list-servers",
  template: "minecraft://servers",
  list: async ({ providers }) =>
    (await linkedServers(providers)).length === 0
      ? []
      : [
          {
            uri: "minecraft://servers",
            name: "servers",
            title: "Linked Minecraft servers",
            description: "Which Minecraft servers are linked, and what each can do.",
          },
        ],
  async read(_, { providers }) {
    const servers = (await linkedServers(providers)).map(facts);
    return { text: toJson({ servers }, 2) };
  },
  changedBy: () => ({
    topics: ["linked", "unlinked", "state", "tools"],
    counts: ({ provider }) => isServer(provider),
  }),
};

const completeServer: Complete = async (typed, { providers }) => {
  const names = (await linkedServers(providers)).map(({ provider }) => provider.serverName);
  return names.filter((name) => name.startsWith(typed));
};

async function findAddressed({ server = "" }: Variables, providers: ProviderPort) {
  return [await findServer(providers, server)];
}

const MAX_SHOWN = 100;

/** Well within the 100 ms that an event may take to a client, however many there are. */
const ANNOUNCE_MS = 40;
const NEWS_KEY = "dev.ccbridge/events";
const MAX_NEWS = 100;
const MAX_NEWS_LENGTH = 32_768;

/** Reads on from the events that were announced. The calls wait for each other, so that none is announced twice. */
function newsOf(server: string, types: string[], { providers }: ReadContext) {
  const key = serverKey(server);
  const view = providers.events.get(key);
  let cursor = view.then((found) => found?.end ?? 0);
  return async (): Promise<ResourceNews> => {
    const reading = cursor.then(async (from) => {
      const options = { cursor: from, limit: MAX_NEWS, ...wanted(types) };
      const page = await providers.events.read(key, options);
      const events: (ServerEvent & { isTooLong?: true })[] = [];
      let length = 0;
      for (const logged of page.events) {
        const event = toServerEvent({ key }, logged);
        length += JSON.stringify(event).length;
        if (length > MAX_NEWS_LENGTH && events.length > 0) break;
        events.push(length > MAX_NEWS_LENGTH ? { ...event, data: null, isTooLong: true } : event);
      }
      const last = events.at(-1);
      const isCut = last !== undefined && events.length < page.events.length;
      return { events, next: isCut ? last.seq + 1 : page.next, isCut, isFull: page.events.length };
    });
    cursor = reading.then(
      ({ next }) => next,
      () => 0,
    );
    const { events, next, isCut, isFull } = await reading;
    const meta = events.length === 0 ? undefined : { [NEWS_KEY]: { events, cursor: next } };
    return { meta, hasMore: isCut || isFull === MAX_NEWS };
  };
}

export const serverEventsResource: Resource = {
  name: "server-events",
  title: "A Minecraft server's events",
  description:
    "The newest events of a Minecraft server, oldest first, as JSON. Subscribe to hear about new ones.",
  mimeType: "application/json",
  shownBy: "get-server-events",
  template: "minecraft://servers/{server}/events",
  async list({ providers }) {
    const servers = await linkedServers(providers);
    return servers.map(({ name, provider }) => ({
      uri: `minecraft://servers/${provider.serverName}/events`,
      name: `events of ${name}`,
      title: `Events of ${name}`,
      description: "What has happened there recently.",
    }));
  },
  complete: { server: completeServer },
  findTargets: findAddressed,
  read: ({ server = "" }, context) => readNewest(server, [], context),
  changedBy: ({ server = "" }) => ({ topics: ["events"], key: serverKey(server) }),
  announceMs: ANNOUNCE_MS,
  news: ({ server = "" }, context) => newsOf(server, [], context),
};

/** One address per filter, so that clients do not affect each other. */
export const filteredEventsResource: Resource = {
  name: "server-events-of-types",
  title: "Some events of a Minecraft server",
  description:
    "The same for some types only, separated by commas: player_chat,player_death. A subscription hears " +
    "about these events and no others.",
  mimeType: "application/json",
  shownBy: "get-server-events",
  template: "minecraft://servers/{server}/events/{types}",
  complete: {
    server: completeServer,
    async types(typed, { providers }) {
      const servers = await linkedServers(providers);
      const names = servers.flatMap(({ provider }) => provider.events);
      return [...new Set([...eventTypes, ...names])].filter((type) => type.startsWith(typed));
    },
  },
  findTargets: findAddressed,
  read: ({ server = "", types = "" }, context) => readNewest(server, types.split(","), context),
  changedBy: ({ server = "", types = "" }) => ({
    topics: ["events"],
    key: serverKey(server),
    counts: ({ event }) => event !== undefined && types.split(",").includes(event),
  }),
  announceMs: ANNOUNCE_MS,
  news: ({ server = "", types = "" }, context) => newsOf(server, types.split(","), context),
};

async function readNewest(server: string, types: string[], context: ReadContext) {
  try {
    const view = await findEvents(context, server);
    requireTypes(view, types);
    const { key, linked, end, first } = view;
    const { events } = context.providers;
    // From the start: the number of matching newest events is unknown.
    const page = await events.read(key, {
      cursor: first,
      limit: end - first + 1,
      ...wanted(types),
    });
    const shown = page.events.slice(-MAX_SHOWN).map((event) => toServerEvent(view, event));
    const text = toJson({ server, linked, events: shown, cursor: page.next }, 2);
    return { text };
  } catch (error) {
    const isMissing = error instanceof LinkError || error instanceof ToolError;
    throw isMissing ? new ResourceNotFound(error.message) : error;
  }
}
