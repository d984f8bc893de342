import type { RegistryChange } from "@ccbridge/registry";

/** The last successful and the last refused link, for /health. */
export class LinkHistory {
  #linkedAt: number | undefined;
  #refused: { at: number; reason: string } | undefined;

  note(change: RegistryChange): void {
    const at = performance.now();
    if (change.topic === "linked") this.#linkedAt = at;
    if (change.topic === "refused") this.#refused = { at, reason: change.reason.slice(0, 200) };
  }

  /** Readable for every program on this machine. */
  summary(): { lastLinkMsAgo: number | null; lastRefusal: LinkRefusal | null } {
    const ago = (at: number) => Math.round(performance.now() - at);
    return {
      lastLinkMsAgo: this.#linkedAt === undefined ? null : ago(this.#linkedAt),
      lastRefusal:
        this.#refused === undefined
          ? null
          : { msAgo: ago(this.#refused.at), reason: this.#refused.reason },
    };
  }
}

interface LinkRefusal {
  msAgo: number;
  reason: string;
}
