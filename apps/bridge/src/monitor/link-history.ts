import type { Registry } from "@ccbridge/registry";

export class LinkHistory {
  #linkedAt: number | undefined;
  #refused: { at: number; reason: string } | undefined;

  constructor({ changes }: Registry) {
    changes.subscribe(
      (change) => {
        const at = performance.now();
        if (change.topic === "linked") this.#linkedAt = at;
        else this.#refused = { at, reason: change.reason.slice(0, 200) };
      },
      { topics: ["linked", "refused"] },
    );
  }

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
