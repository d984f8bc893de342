import { homedir } from "node:os";
import { join } from "node:path";
import type { ComputerApprovals } from "@ccbridge/mcp-tools";
import { type Computers, LinkErrorCode } from "@ccbridge/registry";
import type { Audit } from "../../calls/audit/audit.js";
import type { LiveSettings } from "../../config/live-settings.js";
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
  live: LiveSettings;
  audit: Audit;
  log: PeerLog;
}

export function pairingFile({ pairingFile: file }: Config): string {
  return file || join(homedir(), ".ccbridge", "paired.json");
}

/** Undefined when pairing is off for good. An unusable file prevents the start. */
export function openPairing({
  config,
  live,
  audit,
  log,
  onSecret,
}: OpenPairingOptions): Pairing | undefined {
  const { linkTokens } = config;
  const { pairing: mode } = live.values;
  if (mode === "off" && live.isFixed("pairing")) return undefined;
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

/** What an owner changes holds for computers that are linked or wait already. */
export function followPairingMode(
  live: LiveSettings,
  pairing: Pairing | undefined,
  computers: Pick<Computers, "list">,
): void {
  live.subscribe((name) => {
    if (name !== "pairing" || pairing === undefined) return;
    pairing.mode = live.values.pairing;
    // Approved ones are back at once: only the hello of a link proves an approval.
    for (const link of computers.list()) {
      if (pairing.admits(link.provider, link.origin)) continue;
      link.close(LinkErrorCode.disconnected, "an owner changed which computers need approval");
    }
  });
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
