import { isIP } from "node:net";

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
