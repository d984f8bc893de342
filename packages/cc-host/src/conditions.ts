interface Waiting {
  isMet(): boolean;
  resolve(): void;
  reject(error: Error): void;
}

/** How often conditions are looked at when the computer gives no reason to. */
const POLL_MS = 20;

/** Tests wait here for the computer to reach a state, instead of sleeping. */
export class Conditions {
  readonly #waiting = new Set<Waiting>();

  wait(isMet: () => boolean, timeoutMs: number, describe: () => string): Promise<void> {
    if (isMet()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const entry = {
        isMet,
        resolve: () => {
          stop();
          resolve();
        },
        reject: (error: Error) => {
          stop();
          reject(error);
        },
      };
      const deadline = setTimeout(() => entry.reject(new Error(describe())), timeoutMs);
      // A condition may also be about the other end of a socket, which no computer hears about.
      const poll = setInterval(() => this.#check(entry), POLL_MS);
      const stop = () => {
        clearTimeout(deadline);
        clearInterval(poll);
        this.#waiting.delete(entry);
      };
      this.#waiting.add(entry);
    });
  }

  check(): void {
    for (const entry of this.#waiting) this.#check(entry);
  }

  fail(error: Error): void {
    for (const entry of [...this.#waiting]) entry.reject(error);
  }

  #check(entry: Waiting): void {
    try {
      if (entry.isMet()) entry.resolve();
    } catch (error) {
      entry.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/**
 * For `until`: the screen shows this text. A text that the terminal broke into lines counts too.
 *
 * @example await computer.until(screenContains("linked as"))
 */
export function screenContains(
  wanted: string | RegExp,
): (computer: { readonly screen: { text(): string } }) => boolean {
  return ({ screen }) => {
    const text = screen.text();
    const joined = text.replace(/\s+/g, " ");
    if (typeof wanted === "string") return text.includes(wanted) || joined.includes(wanted);
    return wanted.test(text) || wanted.test(joined);
  };
}
