import type { Origin } from "@ccbridge/registry";
import { isLoopback } from "../../config/addresses.js";
import { addressKey } from "../../http/address-key.js";

export function describeOrigin({ address, isLocal, forwardedFor }: Origin): string {
  if (forwardedFor !== undefined) return `${forwardedFor} through ${address}`;
  return !isLocal && isLoopback(address) ? `a proxy at ${address}` : address;
}

export function addressOf({ address, forwardedFor }: Origin): string {
  const peer = addressKey(address);
  return forwardedFor === undefined ? peer : `${addressKey(forwardedFor)} through ${peer}`;
}
