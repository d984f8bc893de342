import { z } from "zod";
import { readOnly } from "../../core/annotations.js";
import { defineTool } from "../../core/define.js";
import { inline } from "../../format/set-apart.js";
import { askServer, readResult, target } from "./server.js";

const Names = z.array(z.string().min(1).max(64)).max(10_000);
/** Some servers wrap the list in an object. */
const PlayersSchema = z.union([Names, z.object({ players: Names }).transform((o) => o.players)]);

const MAX_SHOWN = 500;

export const getOnlinePlayers = defineTool({
  name: "get_online_players",
  title: "List online players",
  description: "Lists the players who are online on a Minecraft server.",
  input: z.object(target),
  output: z.object({ server: z.string(), players: z.array(z.string()) }),
  annotations: readOnly,
  async handler(args, context) {
    const answer = await askServer(context, "get_online_players", args);
    const players = readResult(PlayersSchema, answer);
    const { name, identity } = answer.server;
    const more = players.length > MAX_SHOWN ? ` and ${players.length - MAX_SHOWN} more` : "";
    const shown = players
      .slice(0, MAX_SHOWN)
      .map((player) => inline(player))
      .join(", ");
    return {
      text:
        players.length === 0
          ? `Nobody is on ${name}.`
          : `${players.length} on ${name}: ${shown}${more}`,
      structured: () => ({ server: identity.serverName, players }),
    };
  },
});
