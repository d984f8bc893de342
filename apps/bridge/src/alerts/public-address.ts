import { BlockList, isIP } from "node:net";

/** Addresses that no one outside reaches, or that reach more than one machine. */
const notPublic = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const) {
  notPublic.addSubnet(network, prefix, "ipv4");
}

// Only global unicast is public. Of that, what stands for an IPv4 address (NAT64 is outside of it) is not.
const global = new BlockList();
global.addSubnet("2000::", 3, "ipv6");
for (const [network, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  notPublic.addSubnet(network, prefix, "ipv6");
}

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

export function isPublicAddress(address: string): boolean {
  const plain = mapped.exec(address)?.[1] ?? address;
  switch (isIP(plain)) {
    case 4:
      return !notPublic.check(plain, "ipv4");
    case 6:
      return global.check(plain, "ipv6") && !notPublic.check(plain, "ipv6");
    default:
      return false;
  }
}
