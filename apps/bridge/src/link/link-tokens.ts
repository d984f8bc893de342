import type { ComputersOptions } from "@ccbridge/registry";
import type { Audit } from "../audit/audit.js";
import type { Config } from "../config/settings.js";
import type { FailureGate } from "../http/failures.js";
import { TokenCheck } from "../http/tokens.js";
import type { PeerLog } from "../peer-log.js";

export interface LinkTokenOptions {
  config: Config;
  /** Knows who showed wrong tokens. */
  gate: FailureGate;
  log: PeerLog;
  audit: Audit;
}

/** Decides whether the token of a computer lets it link. */
export function linkTokenCheck({
  config,
  gate,
  log,
  audit,
}: LinkTokenOptions): NonNullable<ComputersOptions["authorize"]> {
  const tokens = new TokenCheck(config.linkTokens);
  return (token, { address }) => {
    if (!tokens.required) return true;
    const waitMs = token === undefined ? 0 : gate.waitMs(address, token);
    if (waitMs > 0) {
      log.warn({ address }, "link token not looked at: too many wrong ones of this address");
      return { laterBecause: "Too many wrong tokens came from this address. Try again later." };
    }
    if (token !== undefined && tokens.accepts(token)) {
      gate.passed(address, token);
      return true;
    }
    // Without one it is a mistake, not a guess.
    if (token !== undefined) gate.failed(address);
    log.warn({ address }, "link token refused");
    audit.note("link-token-refused", { address });
    return false;
  };
}
