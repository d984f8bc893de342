import { findServer, isServer, linkedServers, type ProviderPort } from "@ccbridge/registry";
import { toJson } from "../../../format/set-apart.js";
import type { Complete, Resource, Variables } from "../../../resources/define.js";
import { facts } from "../list-servers.js";

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
    counts: ({ identity }) => isServer(identity),
  }),
};

export const completeServer: Complete = async (typed, { providers }) => {
  const names = (await linkedServers(providers)).map(({ identity }) => identity.serverName);
  return names.filter((name) => name.startsWith(typed));
};

export async function findAddressed({ server = "" }: Variables, providers: ProviderPort) {
  return [await findServer(providers, server)];
}
