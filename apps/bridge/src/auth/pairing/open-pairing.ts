import { homedir } from "node:os";
import { join } from "node:path";
import type { ComputerApprovals } from "@ccbridge/mcp-tools";
import type { Audit } from "../../calls/audit/audit.js";
import { ConfigError } from "../../config/load.js";
import { type Config, settings } from "../../config/settings.js";
import type { PeerLog } from "../../monitor/peer-log.js";
import { type Client, isOwner } from "../rights/client.js";
import { Pairing, type PairingOptions } from "./pairing.js";

const inWords = {
  asked: "computer waits for approval",
  confirmed: "computer approved",
  declined: "computer declined",
  revoked: "approval revoked",
} as const;

interface OpenPairingOptions extends Required<Pick<PairingOptions, "onSecret">> {
  config: Config;
  audit: Audit;
  log: PeerLog;
}

export function pairingFile({ pairingFile: file }: Config): string {
  return file || join(homedir(), ".ccbridge", "paired.json");
}

/** Undefined when pairing is off. An unusable file prevents the start. */
export function openPairing({
  config,
  audit,
  log,
  onSecret,
}: OpenPairingOptions): Pairing | undefined {
  const { pairing: mode, linkTokens } = config;
  if (mode === "off") return undefined;
  const path = pairingFile(config);
  try {
    return new Pairing({
      path,
      mode,
      hasLinkTokens: linkTokens.length > 0,
      onSecret,
      onEvent({ what, by, ...about }) {
        const { computerId, label, world, address, ...more } =
          "pending" in about ? about.pending : about.computer;
        audit.note(`pairing-${what}`, { computerId, label, world, address, by });
        const facts = { computer: computerId, label, address: address ?? "", by };
        // For owners who only read the log.
        const code = what === "asked" && "code" in more ? { code: more.code } : {};
        log.info({ ...facts, ...code }, inWords[what]);
      },
    });
  } catch (error) {
    throw new ConfigError([`${settings.pairingFile.env}: ${(error as Error).message}`]);
  }
}

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
