import { toolArguments } from "@ccbridge/protocol/minecraft";
import { z } from "zod";
import { acts } from "../../core/annotations.js";
import { defineTool } from "../../core/define.js";
import { inline } from "../../format/set-apart.js";
import { askServer, target } from "./server.js";

const { player, x, y, z: zCoordinate, world } = toolArguments.teleport_player.shape;

export const teleportPlayer = defineTool({
  name: "teleport_player",
  title: "Teleport a player",
  description:
    "Moves a player on a Minecraft server to a position. Make sure that it is safe there. Off unless " +
    "the bridge's owner allows it.",
  input: z.object({
    ...target,
    player: player.describe("The player's name."),
    x: x.meta({ description: "East is positive.", obvious: true }),
    y: y.describe("Height; sea level is 63."),
    z: zCoordinate.meta({ description: "South is positive.", obvious: true }),
    world: world.describe("Such as minecraft:the_nether. Default: the player's current world."),
  }),
  output: z.object({ server: z.string() }),
  annotations: acts,
  async handler(args, context) {
    const { server } = await askServer(context, "teleport_player", args);
    const { player: who, world: where } = args;
    const place = [args.x, args.y, args.z].join(", ");
    const inside = where === undefined ? "" : ` in ${inline(where)}`;
    return {
      text: `Teleported ${inline(who)} to ${place}${inside} on ${server.name}.`,
      structured: () => ({ server: server.identity.serverName }),
    };
  },
});
