import { BlockList, isIP } from "node:net";

/** The fields of ComputerCraft's `[[http.rules]]` that decide which addresses are allowed. */
export interface AddressRule {
  host?: unknown;
  port?: unknown;
  action?: unknown;
}

export interface BridgeAddress {
  host: string;
  port: number;
}

const privateAddresses = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 32],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.192", 32],
  ["192.168.0.0", 16],
  ["224.0.0.0", 4],
] as const) {
  privateAddresses.addSubnet(network, bits, "ipv4");
}
for (const [network, bits] of [
  ["::", 127],
  ["fd00::", 8],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const) {
  privateAddresses.addSubnet(network, bits, "ipv6");
}

/**
 * The decision for an address and the index of the deciding rule. As in the game, the first
 * matching rule with an action wins; without one the address is denied.
 */
export function decide(
  rules: readonly AddressRule[],
  address: BridgeAddress,
): { allowed: boolean; index: number | undefined } {
  for (const [index, rule] of rules.entries()) {
    const action = String(rule.action ?? "").toLowerCase();
    if (action !== "allow" && action !== "deny") continue;
    if (fits(rule, address, action === "deny")) return { allowed: action === "allow", index };
  }
  return { allowed: false, index: undefined };
}

// The game also matches the resolved address of a host name. That is unknown here, so a name
// matches every range that denies and none that allows.
function fits({ host, port }: AddressRule, address: BridgeAddress, unknown: boolean): boolean {
  if (typeof host !== "string") return false;
  if (port !== undefined && Number(port) !== address.port) return false;
  const isRange = host === "$private" || host.includes("/");
  if (isRange && isIP(address.host) === 0) return unknown;
  if (host === "$private") return isPrivate(address.host);
  if (isRange) return isInNetwork(host, address.host);
  const pattern = host.split("*").map(escapeRegExp).join(".*");
  return new RegExp(`^${pattern}$`, "i").test(address.host);
}

function isPrivate(address: string): boolean {
  return privateAddresses.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

function isInNetwork(network: string, address: string): boolean {
  const [base = "", bits = ""] = network.split("/");
  const family = isIP(base);
  if (family === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) {
    return false;
  }
  const list = new BlockList();
  list.addSubnet(base, Number(bits), family === 4 ? "ipv4" : "ipv6");
  return list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
