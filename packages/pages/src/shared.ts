interface Shared {
  /** Names of the tools that `connect` offers itself: `/webmcp.js` on the same page must not offer them again. */
  readonly offered: Set<string>;
  pages: number;
}

const globals = globalThis as { [key: symbol]: Shared | undefined };
const key = Symbol.for("ccbridge");
globals[key] ??= { offered: new Set(), pages: 0 };

/** What copies of this program in one document know of each other. */
export const shared: Shared = globals[key];

/**
 * Stays the same when the tab is loaded again: the bridge then knows that the old connection is gone. A document may have
 * several connections.
 */
export function tabId(isNew = false): string | undefined {
  try {
    const known = isNew ? null : sessionStorage.getItem("ccbridge-tab");
    const id = known ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
    if (known === null) sessionStorage.setItem("ccbridge-tab", id);
    shared.pages += 1;
    return `${id}.${shared.pages}`;
  } catch {
    // No storage: sandboxed, or not a browser.
    return undefined;
  }
}
