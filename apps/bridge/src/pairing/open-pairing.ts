import { homedir } from "node:os";
import { join } from "node:path";
import type { Audit } from "../audit/audit.js";
import { ConfigError } from "../config/load.js";
import { type Config, settings } from "../config/settings.js";
import { Pairing, type PairingOptions } from "./pairing.js";

/** Which computers are approved; undefined when all may link. A file that cannot be used is a reason not to start. */
export function openPairing(
  config: Config,
  audit: Audit,
  onSecret: NonNullable<PairingOptions["onSecret"]>,
): Pairing | undefined {
  const { pairing: mode, linkTokens } = config;
  if (mode === "off") return undefined;
  const path = config.pairingFile || join(homedir(), ".ccbridge", "paired.json");
  try {
    return new Pairing({
      path,
      mode,
      hasLinkTokens: linkTokens.length > 0,
      onSecret,
      onNews({ what, by, ...about }) {
        const { computerId, label, world } = "pending" in about ? about.pending : about.computer;
        audit.note(`pairing-${what}`, { computerId, label, world, by });
      },
    });
  } catch (error) {
    throw new ConfigError([`${settings.pairingFile.env}: ${(error as Error).message}`]);
  }
}
