import type { ComputersOptions } from "@ccbridge/registry";
import type { Audit } from "../calls/audit/audit.js";
import type { Config } from "../config/settings.js";
import { TOO_MANY_GUESSES } from "../http/refusals.js";
import type { PeerLog } from "../monitor/peer-log.js";
import type { GuessLimiter } from "./guess-limiter.js";
import { TokenCheck } from "./tokens.js";

export interface LinkTokenOptions {
  config: Config;
  guesses: GuessLimiter;
  log: PeerLog;
  audit: Audit;
}

export function linkTokenCheck({
  config,
  guesses,
  log,
  audit,
}: LinkTokenOptions): NonNullable<ComputersOptions["authorize"]> {
  const tokens = new TokenCheck(config.linkTokens);
  return (token, { address }) => {
    if (!tokens.required) return true;
    const waitMs = token === undefined ? 0 : guesses.waitMs(address, token);
    if (waitMs > 0) {
      log.warn({ address }, "link token not checked: too many wrong tokens from this address");
      return { laterBecause: TOO_MANY_GUESSES };
    }
    if (token !== undefined && tokens.accepts(token)) {
      guesses.passed(address, token);
      return true;
    }
    // A missing token is a mistake, not a guess.
    if (token !== undefined) guesses.failed(address);
    log.warn({ address }, "link token refused");
    audit.note("link-token-refused", { address });
    return false;
  };
}
