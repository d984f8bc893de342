import { isIP } from "node:net";
import { isAbsolute } from "node:path";
import { z } from "zod";
import { isToken } from "../auth/rights/token-line.js";
import { hostName, proxyTrust } from "./addresses.js";
import { readPublicUrl } from "./public-urls.js";

export interface Setting<T> {
  env: string;
  value: string;
  description: string;
  default: T;
  schema: z.ZodType<T, string>;
  atLimit?: string | undefined;
}

export function setting<T>(
  env: string,
  schema: z.ZodType<T, string>,
  fallback: NoInfer<T>,
  value: string,
  description: string,
  atLimit?: string,
): Setting<T> {
  return { env, value, description, default: fallback, schema, atLimit };
}

export function integer(min: number, max: number): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d+$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));
}

export const text = z.string().min(1, "must not be empty");
/** Accepts IPv6 in URL brackets. */
export const host = text.transform((value) => value.replace(/^\[(.*)\]$/, "$1"));
export const list = z.string().transform((value) =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== ""),
);
export const tokens = z
  .string()
  // A list with only commas is a mistake, and would leave the port open to all.
  .refine((value) => value === "" || /[^,\s]/.test(value), { message: "holds no token" })
  .pipe(list)
  .refine((items) => items.every(isToken), {
    message: "must be tokens of printable ASCII without spaces, separated by commas",
  });
export const hosts = list.refine((items) => items.every((item) => item === "*" || isHost(item)), {
  message: "must be names or addresses without scheme and port, separated by commas",
});
export const webhookHosts = list
  .transform((items) => items.map((item) => item.toLowerCase()))
  .refine((items) => items.every((item) => /^(http:\/\/)?[a-z0-9.-]+(:\d{1,5})?$/.test(item)), {
    message: "must be names of hosts such as ntfy.sh, separated by commas",
  });
export const origins = list.refine((items) => items.every(isOrigin), {
  message: "must be origins such as https://example.org, separated by commas",
});
export const publicUrl = z.string().transform((value, context) => {
  const origin = readPublicUrl(value);
  if (origin !== undefined) return origin;
  context.addIssue({
    code: "custom",
    message: "must be an address such as https://bridge.example.org, without a path",
  });
  return z.NEVER;
});
export const proxies = list.refine((items) => items.every(isProxyRange), {
  message:
    "must be addresses or ranges of proxies such as 127.0.0.1 or 10.0.0.0/8, separated by commas; a range cannot hold all addresses",
});
export const folders = list.refine((pairs) => pairs.every(isFolderPair) && areNamesUnique(pairs), {
  message:
    "must be pairs of a name and an absolute path such as scripts=/home/me/scripts, separated by commas",
});
/** `true` and `1` are accepted because people write them from habit. */
export const onOff = z
  .string()
  .regex(/^(on|off|true|false|1|0)$/i, "must be on or off")
  .transform((value) => /^(on|true|1)$/i.test(value));
export const port = integer(0, 65_535);
export const duration = integer(10, 86_400_000);
export const bytes = integer(1_024, 1_073_741_824);

function isHost(value: string): boolean {
  return isIP(value) !== 0 || hostName(value) === value.toLowerCase();
}

/** `localhost:3000` parses as a URL, but its origin is "null", which every sandboxed page has. */
function isOrigin(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value);
}

function isProxyRange(value: string): boolean {
  try {
    proxyTrust([value]);
    return true;
  } catch {
    return false;
  }
}

function isFolderPair(pair: string): boolean {
  const [, path] = /^[\w.-]{1,64}=(.+)$/.exec(pair) ?? [];
  return path !== undefined && isAbsolute(path);
}

function areNamesUnique(pairs: string[]): boolean {
  return new Set(pairs.map((pair) => pair.split("=")[0])).size === pairs.length;
}
