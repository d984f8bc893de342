import { isIP } from "node:net";

/**
 * The key that identifies a peer in limits. A machine with IPv6 can use a whole /64 of addresses,
 * so those count as one. IPv4-mapped IPv6 addresses count as IPv4.
 */
export function addressKey(address: string | undefined): string {
  const plain = (address ?? "").replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  if (isIP(plain) !== 6) return plain;
  const [head = "", tail = ""] = plain.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === "" ? [] : tail.split(":");
  const gap = plain.includes("::") ? 8 - front.length - back.length : 0;
  const groups = [...front, ...Array.from({ length: Math.max(0, gap) }, () => "0"), ...back];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  // The loopback address is not a network of strangers.
  return network.join(":") === "0:0:0:0" ? plain : `${network.join(":")}::/64`;
}
