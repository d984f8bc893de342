import { z } from "zod";
import { rateLimitForm, readRateLimit } from "../auth/rights/rate-limit.js";
import { bytes, integer, onOff, setting, text } from "./setting.js";

const auditChoices = ["acting", "all"] as const;

const pairing = z
  .string()
  .regex(/^(auto|on|off|true|false|1|0)$/i, "must be auto, on or off")
  .transform((value) => {
    if (/^auto$/i.test(value)) return "auto";
    return /^(on|true|1)$/i.test(value) ? "on" : "off";
  });

const limit = text.refine((value) => readRateLimit(value) !== undefined, {
  message: rateLimitForm,
});

export const rightsSettings = {
  readOnly: setting(
    "CC_READ_ONLY",
    onOff,
    false,
    "on|off",
    "Whether clients may only look, whatever their tokens allow: then only tools that change nothing are offered.",
  ),
  auditFile: setting(
    "CC_AUDIT_FILE",
    text,
    "",
    "path",
    "File that records every call that may change something, before and after it is made, as JSON lines; also links and refusals. None: the last 1000 calls are kept in memory.",
  ),
  audit: setting(
    "CC_AUDIT",
    z.enum(auditChoices, `must be one of ${auditChoices.join(", ")}`) as z.ZodType<
      (typeof auditChoices)[number],
      string
    >,
    "acting",
    "acting|all",
    "Which calls are recorded: only those that may change something, or also those that only look.",
  ),
  auditRequired: setting(
    "CC_AUDIT_REQUIRED",
    onOff,
    false,
    "on|off",
    "Whether to refuse a call when its line cannot be written.",
  ),
  auditMaxBytes: setting(
    "CC_AUDIT_MAX_BYTES",
    bytes,
    16_777_216,
    "bytes",
    "How large the audit file may get.",
    "It is put aside as .1, the earlier one as .2 and so on, and another one is begun.",
  ),
  auditKeep: setting(
    "CC_AUDIT_KEEP",
    integer(1, 1_000),
    5,
    "count",
    "How many old audit files are kept.",
    "The oldest is deleted.",
  ),
  pairing: setting(
    "CC_PAIRING",
    pairing,
    "auto",
    "auto|on|off",
    "Which computers wait until you approve them once, by the code they show; see `ccbridge pair`. `auto`: those on other machines, unless CC_LINK_TOKENS are set. `on`: all, and CC_LINK_TOKENS only allow pairing; use it where others' computers run on this machine too. `off`: none.",
  ),
  pairingFile: setting(
    "CC_PAIRING_FILE",
    text,
    "",
    "path",
    "Where the list of approved computers is kept. None: .ccbridge/paired.json in the home folder.",
  ),
  computerRate: setting(
    "CC_COMPUTER_RATE",
    limit,
    "",
    "count/time",
    "How often all clients together may call one computer, such as 600/min. None: no limit.",
    "The call is refused with the time at which to try again.",
  ),
  computerQuota: setting(
    "CC_COMPUTER_QUOTA",
    limit,
    "",
    "count/time",
    "The same over a longer period, such as 20000/day, counted from the first call.",
    "The call is refused with the time at which to try again.",
  ),
} as const;
