interface Waiting {
  isMet(): boolean;
  resolve(): void;
  reject(error: Error): void;
}

const POLL_MS = 20;

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
      // A condition may concern the other end of a socket, which fires no event here.
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

/** For `until`. Ignores line breaks of the terminal. @example await computer.until(screenContains("linked as")) */
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
