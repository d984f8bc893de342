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
