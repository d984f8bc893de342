import type { ComputerApprovals } from "@ccbridge/mcp-tools";
import { type Client, isOwner } from "../rights/client.js";
import type { Pairing } from "./pairing.js";

/** Throttles notifications, because unapproved computers can connect and leave at any rate. */
const NOTIFY_MS = 2_000;

/** Undefined for clients that are not owners. */
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
      const notifyIfChanged = () => {
        timer = undefined;
        if (pairing.pending().length > 0 === hasWaiting) return;
        hasWaiting = !hasWaiting;
        listener();
      };
      const stop = pairing.subscribe(() => {
        timer ??= setTimeout(notifyIfChanged, NOTIFY_MS).unref();
      });
      return () => {
        stop();
        clearTimeout(timer);
      };
    },
  };
}
