import { allowanceForm, readAllowance } from "../access/allowance.js";
import { onOff, setting, text } from "./setting.js";

const allowance = text.refine((value) => readAllowance(value) !== undefined, {
  message: allowanceForm,
});

/** What clients may do. The rights of each token are in MCP_TOKENS_FILE. */
export const rightsSettings = {
  readOnly: setting(
    "CC_READ_ONLY",
    onOff,
    false,
    "on|off",
    "Whether clients may only look, whatever their tokens allow: only tools that change nothing are offered.",
  ),
  computerRate: setting(
    "CC_COMPUTER_RATE",
    allowance,
    "",
    "count/time",
    "How often one computer may be called by all clients together, such as 600/min. None: as often as they like.",
    "The call is refused with the time at which to try again.",
  ),
  computerQuota: setting(
    "CC_COMPUTER_QUOTA",
    allowance,
    "",
    "count/time",
    "The same over a long time, such as 20000/day, counted from its first call on.",
    "The call is refused with the time at which to try again.",
  ),
} as const;
