import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Features } from "../version.js";
import type { LuaValue } from "../vm/literal.js";
import { LuaError } from "../vm/lua-vm.js";
import { decodeWire } from "../vm/wire.js";
import { type HostOptions, type HttpRule, optionsFor } from "./address-rules.js";

export interface NetworkHost {
  readonly version: string;
  rules(): readonly HttpRule[];
  readonly features: Features;
  readonly websocketsEnabled: boolean;
  queueEvent(name: string, ...args: LuaValue[]): void;
  changed(): void;
}

export class NetworkFailure extends Error {
  override readonly name = "NetworkFailure";
}

const DEFAULT_TIMEOUT_S = 30;
const MAX_TIMEOUT_S = 60;

export function timeoutMs(seconds: number | undefined): number | undefined {
  const value = seconds ?? DEFAULT_TIMEOUT_S;
  return value >= 0 && value <= MAX_TIMEOUT_S ? value * 1_000 : undefined;
}

export async function resolveHost(
  url: URL,
  host: NetworkHost,
): Promise<HostOptions & { address: string }> {
  const name = url.hostname.replace(/^\[|\]$/g, "");
  let address: string;
  try {
    address = isIP(name) !== 0 ? name : (await lookup(name)).address;
  } catch {
    throw new NetworkFailure("Unknown host");
  }
  const secure = url.protocol === "wss:" || url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  const options = optionsFor(
    host.rules(),
    { host: name, address, port },
    host.features.carrierGradePrivate,
  );
  if (!options.allowed) throw new NetworkFailure("Domain not permitted");
  return { ...options, address };
}

export function friendlyError(error: unknown): string {
  if (error instanceof NetworkFailure) return error.message;
  const code = String((error as { code?: unknown }).code ?? "");
  const message = error instanceof Error ? error.message : String(error);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "Unknown host";
  if (code === "ETIMEDOUT" || /timed out/i.test(message)) return "Timed out";
  if (/^(ERR_TLS|ERR_SSL|CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code)) {
    return "Could not create a secure connection";
  }
  return "Could not connect";
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: no header value may hold these
const HEADER_BREAK = /[\x00\r\n]/;

export function decodeHeaders(encoded: string): Record<string, string> {
  const headers: Record<string, string> = {};
  const [table] = decodeWire(encoded);
  if (!(table instanceof Map)) return headers;
  for (const [key, value] of table) {
    if (typeof key !== "string" || typeof value !== "string") continue;
    if (!HEADER_NAME.test(key) || HEADER_BREAK.test(value)) {
      throw new LuaError(`Invalid header: ${key}`);
    }
    headers[key] = value;
  }
  return headers;
}
