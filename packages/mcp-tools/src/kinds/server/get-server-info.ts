import { ServerInfoSchema } from "@ccbridge/protocol/minecraft";
import { z } from "zod";
import { readOnly } from "../../core/annotations.js";
import { defineTool } from "../../core/define.js";
import { capital } from "../../format/text.js";
import { known } from "./get-player-info.js";
import { askServer, noteLines, readResult, target } from "./server.js";

export const getServerInfo = defineTool({
  name: "get_server_info",
  title: "Look at a server",
  description:
    "Shows the state of a Minecraft server: version, players, time of day (0 sunrise, 6000 noon, " +
    "13000 night), weather, and tps (20 is full speed).",
  input: z.object(target),
  output: z.object({ server: z.string(), info: z.record(z.string(), z.unknown()) }),
  annotations: readOnly,
  async handler(args, context) {
    const answer = await askServer(context, "get_server_info", args);
    const info = readResult(ServerInfoSchema, answer);
    const { name, identity } = answer.server;
    const text = [
      `${capital(name)}: Minecraft ${known(info.version)}`,
      `players ${known(info.onlinePlayers)} of ${known(info.maxPlayers)}`,
      `time of day ${known(info.timeOfDay)}, weather ${known(info.weather)}, tps ${known(info.tps)}`,
      ...noteLines(info.notes),
    ].join("\n");
    return { text, structured: () => ({ server: identity.serverName, info }) };
  },
});
