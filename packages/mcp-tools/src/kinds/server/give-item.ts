import { toolArguments } from "@ccbridge/protocol/minecraft";
import { z } from "zod";
import { acts } from "../../core/annotations.js";
import { defineTool } from "../../core/define.js";
import { inline } from "../../format/set-apart.js";
import { askServer, target } from "./server.js";

const { player, item, quantity } = toolArguments.give_item.shape;

export const giveItem = defineTool({
  name: "give_item",
  title: "Give items to a player",
  description:
    "Gives items to a player on a Minecraft server; what does not fit falls to the ground. Off unless " +
    "the bridge's owner allows it.",
  input: z.object({
    ...target,
    player: player.describe("The player's name."),
    item: item.describe("The item's id, such as minecraft:diamond."),
    quantity: quantity.describe("How many, 1 to 6400."),
  }),
  output: z.object({ server: z.string() }),
  annotations: acts,
  async handler(args, context) {
    const { server } = await askServer(context, "give_item", args);
    return {
      text: `Gave ${args.quantity} ${inline(args.item)} to ${inline(args.player)} on ${server.name}.`,
      structured: () => ({ server: server.identity.serverName }),
    };
  },
});
