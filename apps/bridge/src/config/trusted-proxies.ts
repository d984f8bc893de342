import { BlockList, isIP } from "node:net";

export type ProxyTrust = (address: string | undefined) => boolean;

/** Parses addresses and CIDR ranges, such as 127.0.0.1 and 10.0.0.0/8. Throws a TypeError for other text. */
export function proxyTrust(ranges: readonly string[]): ProxyTrust {
  const list = new BlockList();
  for (const range of ranges) {
    const [, address = "", prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
    const family = familyOf(address);
    const bits = family === "ipv4" ? 32 : 128;
    const length = Number(prefix ?? bits);
    // A prefix of 0 would let every peer choose its address.
    if (family === undefined || length < 1 || length > bits) {
      throw new TypeError(`not an address or a CIDR range: ${range}`);
    }
    list.addSubnet(address, length, family);
  }
  return (address = "") => {
    const family = familyOf(address);
    return family !== undefined && list.check(address, family);
  };
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? "ipv4" : "ipv6";
}
