import { eventTypes, isEventType } from "@ccbridge/protocol/minecraft";
import { LinkError, linkedServers } from "@ccbridge/registry";
import { type LookContext, type Resource, ResourceNotFound } from "../../resource/define.js";
import { findEvents, toServerEvent, wanted } from "../events.js";
import { completeServer } from "./servers.js";

/** Events that the resource shows at most. */
const MAX_SHOWN = 100;

export const serverEventsResource: Resource = {
  name: "server-events",
  title: "Events of a Minecraft server",
  description:
    "The newest events of a Minecraft server, oldest first, as JSON. Subscribe to hear when there are more.",
  mimeType: "application/json",
  shownBy: "get-server-events",
  template: "minecraft://servers/{server}/events",
  async list({ providers }) {
    const servers = await linkedServers(providers);
    return servers.map(({ name, identity }) => ({
      uri: `minecraft://servers/${identity.serverName}/events`,
      name: `events of ${name}`,
      title: `Events of ${name}`,
      description: "What happened there lately.",
    }));
  },
  complete: { server: completeServer },
  read: ({ server = "" }, context) => readNewest(server, [], context),
  isAffectedBy: ({ topic, identity }, { server = "" }) =>
    topic === "events" && identity.key === `minecraft:${server}`,
};

/** One address for each filter: what one client follows does not touch another. */
export const filteredEventsResource: Resource = {
  name: "server-events-of-types",
  title: "Some events of a Minecraft server",
  description:
    "The same, of some types only, separated by commas: player_chat,player_death. A subscription to it is " +
    "told of these events and of no others.",
  mimeType: "application/json",
  shownBy: "get-server-events",
  template: "minecraft://servers/{server}/events/{types}",
  complete: {
    server: completeServer,
    types: (typed) => eventTypes.filter((type) => type.startsWith(typed)),
  },
  read: ({ server = "", types = "" }, context) => readNewest(server, parseTypes(types), context),
  isAffectedBy: ({ topic, identity, event }, { server = "", types = "" }) =>
    topic === "events" &&
    identity.key === `minecraft:${server}` &&
    event !== undefined &&
    types.split(",").includes(event),
};

function parseTypes(text: string): string[] {
  const types = text.split(",");
  if (types.every(isEventType)) return types;
  throw new ResourceNotFound(`There are the events ${eventTypes.join(", ")}.`);
}

async function readNewest(server: string, types: string[], context: LookContext) {
  try {
    const view = await findEvents(context, server);
    const { key, linked, end, first } = view;
    const { events } = context.providers;
    // Read from the beginning: how many of the newest are of these types is not known before.
    const page = await events.read(key, {
      cursor: first,
      limit: end - first + 1,
      ...wanted(types),
    });
    const shown = page.events.slice(-MAX_SHOWN).map((event) => toServerEvent(view, event));
    const text = JSON.stringify({ server, linked, events: shown, cursor: page.next }, null, 2);
    return { text };
  } catch (error) {
    throw error instanceof LinkError ? new ResourceNotFound(error.message) : error;
  }
}
