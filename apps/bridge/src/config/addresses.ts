import { BlockList, isIP } from "node:net";
import os from "node:os";

const anyAddress = new Set(["0.0.0.0", "::", "*"]);

export function isOpenToNetwork(host: string): boolean {
  return !isLoopback(host);
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

/** Includes IPv4-mapped IPv6 addresses. */
export function isLoopback(host: string): boolean {
  // A name such as 127.example.org may point anywhere.
  const version = isIP(host);
  if (version === 0) return host.toLowerCase() === "localhost";
  return loopback.check(host, version === 4 ? "ipv4" : "ipv6");
}

const virtualInterface =
  /^(docker|br-|veth|virbr|vboxnet|vmnet|tailscale|utun|zt|wg|tun)|vEthernet|VirtualBox|VMware|WSL|ZeroTier|Tailscale/;

export function reachableAddresses(host: string): string[] {
  if (!anyAddress.has(host)) return [host];
  const addresses: string[] = [];
  const virtual: string[] = [];
  for (const [name, list] of Object.entries(os.networkInterfaces())) {
    for (const { family, address, internal } of list ?? []) {
      // Link-local IPv6 needs a zone, which a ComputerCraft URL cannot contain; link-local IPv4
      // means that an adapter got no address.
      if (internal || address.startsWith("fe80") || address.startsWith("169.254.")) continue;
      if (family !== "IPv4" && host === "0.0.0.0") continue;
      (virtualInterface.test(name) ? virtual : addresses).push(address);
    }
  }
  return [...addresses, ...virtual, "127.0.0.1"];
}

export function urlHost(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

export function localAddress(host: string): string {
  return anyAddress.has(host) ? "127.0.0.1" : host;
}

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

export class HostCheck {
  readonly #any: boolean;
  readonly #names: ReadonlySet<string>;

  constructor(names: readonly string[]) {
    this.#any = names.includes("*");
    this.#names = new Set(names.map((name) => name.toLowerCase()));
  }

  /** False for a missing header. */
  accepts(hostHeader: string | undefined): boolean {
    const name = hostName(hostHeader);
    return name !== undefined && (this.#any || this.#names.has(name));
  }
}

export function hostName(hostHeader: string | undefined): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d+)?$/i.exec(hostHeader ?? "");
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

export function isLiteralHost(name: string): boolean {
  return name === "localhost" || isIP(name) !== 0;
}

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
