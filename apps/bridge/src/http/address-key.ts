import { isIP } from "node:net";

/**
 * What counts as one peer. A machine with IPv6 has a whole /64 of addresses to choose from, so those
 * count as one; an IPv4 address may come in the clothes of an IPv6 one.
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
  // The addresses of this machine itself are not a network of strangers.
  return network.join(":") === "0:0:0:0" ? plain : `${network.join(":")}::/64`;
}
