import { toolArguments } from "@ccbridge/protocol/minecraft";
import { z } from "zod";
import { acts } from "../../core/annotations.js";
import { defineTool } from "../../core/define.js";
import { inline } from "../../format/set-apart.js";
import { askServer, target } from "./server.js";

const { message, target: receiver } = toolArguments.send_message.shape;

export const sendMessage = defineTool({
  name: "send_message",
  title: "Send a chat message",
  description:
    "Sends a chat message on a Minecraft server, to everybody or to one player. Keep it short. " +
    "Answers arrive as player_chat events.",
  input: z.object({
    ...target,
    message: message.describe("The text; line breaks are allowed."),
    target: receiver.describe("The player to send it to. Default: everybody."),
  }),
  output: z.object({ server: z.string() }),
  annotations: { ...acts, destructiveHint: false },
  async handler(args, context) {
    const { server } = await askServer(context, "send_message", args);
    const to =
      args.target === undefined || args.target === "@a" ? "everybody" : inline(args.target);
    return {
      text: `Sent to ${to} on ${server.name}.`,
      structured: () => ({ server: server.identity.serverName }),
    };
  },
});
