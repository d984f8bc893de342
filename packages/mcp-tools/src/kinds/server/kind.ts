import { eventTypes, ServerErrorCode } from "@ccbridge/protocol/minecraft";
import { isServer, LinkErrorCode } from "@ccbridge/registry";
import { defineKind } from "../../core/kind.js";
import { capital } from "../../format/text.js";
import {
  executeCommand,
  executeCommands,
  giveItem,
  sendMessage,
  teleportPlayer,
} from "./actions.js";
import { fillBlocks, findBlocks, setBlocks } from "./blocks.js";
import { getServerEvents, waitForServerEvent } from "./events.js";
import { listServers } from "./list-servers.js";
import { getOnlinePlayers, getPlayerInfo, getServerInfo, getWorldInfo } from "./queries.js";
import { filteredEventsResource, serverEventsResource, serversResource } from "./resources.js";
import { customToolCaller } from "./server.js";
import { BLOCKS, undoBlocks } from "./undo-blocks.js";

const checkFirst = "It may still have happened: check the state before you do it again.";
const lost = `Call list-servers to see when the server is back. ${checkFirst}`;

const hints: Partial<Record<LinkErrorCode, string>> = {
  [LinkErrorCode.notLinked]:
    "Call list-servers to see which servers are linked. A server links when its owner starts the server agent beside it, or a mod in it.",
  [LinkErrorCode.ambiguous]: "Call again with one of these as server.",
  [LinkErrorCode.timedOut]: checkFirst,
  [LinkErrorCode.replaced]: lost,
  [LinkErrorCode.disconnected]: lost,
  [LinkErrorCode.silent]: lost,
  [LinkErrorCode.notReading]: "Nothing was sent. The server hangs; call list-servers later.",
};

const { connectionError, invalidArgs, serverError, timeout } = ServerErrorCode;
const wireCodes: Partial<Record<LinkErrorCode, string>> = {
  [LinkErrorCode.notLinked]: connectionError,
  [LinkErrorCode.away]: connectionError,
  [LinkErrorCode.replaced]: connectionError,
  [LinkErrorCode.disconnected]: connectionError,
  [LinkErrorCode.silent]: connectionError,
  [LinkErrorCode.notReading]: connectionError,
  [LinkErrorCode.shuttingDown]: connectionError,
  [LinkErrorCode.timedOut]: timeout,
  [LinkErrorCode.ambiguous]: invalidArgs,
  [LinkErrorCode.tooLarge]: invalidArgs,
  [LinkErrorCode.tooManyRequests]: serverError,
};

const instructions =
  "Minecraft servers are linked here too: list-servers shows them and what each can do. get_online_players, " +
  "get_player_info, get_server_info, get_world_info and find_blocks are read-only; send_message talks to players; " +
  "teleport_player, give_item, set_blocks, fill_blocks, execute_command and execute_commands act, if the owner allows it. get-server-events shows who " +
  "joined, left, chatted, died or broke a block; wait-for-server-event waits for such an event.";

export const serverKind = defineKind({
  name: "minecraft",
  noun: "server",
  listedBy: listServers.name,
  tools: {
    minecraft: [
      listServers,
      executeCommand,
      executeCommands,
      sendMessage,
      teleportPlayer,
      giveItem,
      getOnlinePlayers,
      getPlayerInfo,
      getServerInfo,
      getWorldInfo,
      setBlocks,
      fillBlocks,
      findBlocks,
      getServerEvents,
      waitForServerEvent,
    ],
  },
  eventsReadBy: getServerEvents.name,
  events: {
    names: (provider) => [
      ...new Set([...eventTypes, ...(isServer(provider) ? provider.events : [])]),
    ],
  },
  shows: {
    isUsualChat: true,
    inChat: (message, to) => ({ tool: sendMessage, args: { message, target: to } }),
  },
  resources: [serversResource, serverEventsResource, filteredEventsResource],
  selectorArguments: { name: "server" },
  linkMessage: ({ name }, change) =>
    change === "left"
      ? `${capital(name)} left. Calls for it fail until it is back.`
      : `${capital(name)} is back.`,
  offers: customToolCaller,
  offersFrom: "on a Minecraft server",
  undo: { [BLOCKS]: undoBlocks },
  hint: (code) => hints[code],
  wireCode: (code) => wireCodes[code],
  ruleFacts: { server: (provider) => (isServer(provider) ? provider.serverName : undefined) },
  instructions: (has) => (has(listServers.name) ? instructions : undefined),
});
