import type { Origin } from "@ccbridge/registry";
import { isLoopback } from "../../config/addresses.js";
import { addressKey } from "../../http/address-key.js";

/** Where a computer connects from, for people. */
export function whereFrom({ address, isLocal, forwardedFor }: Origin): string {
  if (forwardedFor !== undefined) return `${forwardedFor} through ${address}`;
  return !isLocal && isLoopback(address) ? `a proxy at ${address}` : address;
}

/** Where a computer connects from, in the form in which an approval remembers it. */
export function placeOf({ address, forwardedFor }: Origin): string {
  const peer = addressKey(address);
  return forwardedFor === undefined ? peer : `${addressKey(forwardedFor)} through ${peer}`;
}
