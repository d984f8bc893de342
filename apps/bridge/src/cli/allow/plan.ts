import { readFile } from "node:fs/promises";
import type { BridgeAddress } from "./address-rules.js";
import {
  allowAddresses,
  type Edit,
  RefusedConfigError,
  removeAddresses,
  switchedOff,
} from "./edit-rules.js";
import type { FoundConfig } from "./find-configs.js";

/** Far more than the game writes. */
const MAX_BYTES = 1_048_576;

export interface Plan extends FoundConfig {
  bytes: Buffer;
  edit: Edit;
  off: string[];
}

export interface Refusal extends FoundConfig {
  problem: string;
}

/** Computes the change to a configuration without writing it. Never rejects. */
export async function planChange(
  config: FoundConfig,
  { addresses, remove }: { addresses: readonly BridgeAddress[]; remove: boolean },
): Promise<Plan | Refusal> {
  try {
    const bytes = await readFile(config.path);
    if (bytes.length > MAX_BYTES) throw new RefusedConfigError("it is too large to be one");
    const text = decode(bytes);
    const change = remove ? removeAddresses : allowAddresses;
    return { ...config, bytes, edit: change(text, addresses), off: switchedOff(text) };
  } catch (error) {
    return { ...config, problem: problemOf(error as Error) };
  }
}

/** Bytes that are not UTF-8 would not survive a rewrite. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new RefusedConfigError("it is not UTF-8 text");
  }
}

export function problemOf(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "EACCES":
    case "EPERM":
      return "this user may not change it; run this as the user that runs the server, or as administrator";
    case "EBUSY":
      return "another program holds it; close the game and run this again";
    default:
      return error.message;
  }
}
