import type { ComputerApprovals } from "@ccbridge/mcp-tools";
import { type Client, isOwner } from "../rights/client.js";
import type { Pairing } from "./pairing.js";

/** How soon clients notice: any stranger can begin and end to wait, as often as it likes. */
const NEWS_MS = 2_000;

/** How an MCP client approves computers; undefined for clients that may not decide for others. */
export function approvalsFor(
  client: Client,
  pairing: Pairing | undefined,
): ComputerApprovals | undefined {
  if (pairing === undefined || !isOwner(client)) return undefined;
  return {
    waiting: () => pairing.pending(),
    approve: (code) => pairing.confirm(code, `${client.name} in the chat`) !== undefined,
    subscribe(listener) {
      let hasWaiting = pairing.pending().length > 0;
      let timer: NodeJS.Timeout | undefined;
      const look = () => {
        timer = undefined;
        if (pairing.pending().length > 0 === hasWaiting) return;
        hasWaiting = !hasWaiting;
        listener();
      };
      const stop = pairing.subscribe(() => {
        timer ??= setTimeout(look, NEWS_MS).unref();
      });
      return () => {
        stop();
        clearTimeout(timer);
      };
    },
  };
}
