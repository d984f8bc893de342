import { BlockList, isIP } from "node:net";

/** One `[[http.rules]]` entry. The first entry that sets a property decides it. */
export interface HttpRule {
  readonly host: string;
  readonly port?: number;
  readonly action?: "allow" | "deny";
  /** Bytes per message each way, 0 = no limit. @default 131072 */
  readonly maxWebsocketMessage?: number;
  /** Bytes of a response body, 0 = no limit. @default 16777216 */
  readonly maxDownload?: number;
  /** Bytes of a request body, 0 = no limit. @default 4194304 */
  readonly maxUpload?: number;
}

export interface HostOptions {
  readonly allowed: boolean;
  readonly maxWebsocketMessage: number;
  readonly maxDownload: number;
  readonly maxUpload: number;
}

export const defaultHttpRules: readonly HttpRule[] = [
  { host: "$private", action: "deny" },
  { host: "*", action: "allow" },
];

export const allowAll: readonly HttpRule[] = [{ host: "*", action: "allow" }];

function privateRanges(carrierGrade: boolean): BlockList {
  const list = new BlockList();
  const v4: [string, number][] = [
    ["0.0.0.0", 32],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
    ["10.0.0.0", 8],
    ["172.16.0.0", 12],
    ["192.168.0.0", 16],
    ["224.0.0.0", 4],
    ["192.0.0.192", 32],
  ];
  if (carrierGrade) v4.push(["100.64.0.0", 10]);
  const v6: [string, number][] = [
    ["::", 128],
    ["::1", 128],
    ["fe80::", 10],
    ["fec0::", 10],
    ["fd00::", 8],
    ["ff00::", 8],
  ];
  for (const [address, bits] of v4) list.addSubnet(address, bits, "ipv4");
  for (const [address, bits] of v6) list.addSubnet(address, bits, "ipv6");
  return list;
}

function family(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

function matches(rule: HttpRule, target: Target, privateList: BlockList): boolean {
  if (rule.port !== undefined && rule.port !== target.port) return false;
  if (rule.host === "*") return true;
  if (rule.host === "$private") return privateList.check(target.address, family(target.address));
  const cidr = /^(.+)\/(\d+)$/.exec(rule.host);
  if (cidr !== null) {
    const list = new BlockList();
    list.addSubnet(cidr[1] as string, Number(cidr[2]), family(cidr[1] as string));
    return list.check(target.address, family(target.address));
  }
  if (isIP(rule.host) !== 0) return rule.host === target.address;
  const source = rule.host
    .toLowerCase()
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*");
  return new RegExp(`^${source}$`).test(target.host.toLowerCase());
}

interface Target {
  readonly host: string;
  readonly address: string;
  readonly port: number;
}

export function optionsFor(
  rules: readonly HttpRule[],
  target: Target,
  carrierGradePrivate: boolean,
): HostOptions {
  const privateList = privateRanges(carrierGradePrivate);
  const fitting = rules.filter((rule) => matches(rule, target, privateList));
  const first = <K extends keyof HttpRule>(key: K) =>
    fitting.find((rule) => rule[key] !== undefined)?.[key];
  return {
    allowed: first("action") === "allow",
    maxWebsocketMessage: first("maxWebsocketMessage") ?? 131_072,
    maxDownload: first("maxDownload") ?? 16_777_216,
    maxUpload: first("maxUpload") ?? 4_194_304,
  };
}
