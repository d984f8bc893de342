interface Waiting {
  isMet(): boolean;
  resolve(): void;
  reject(error: Error): void;
}

/** Tests wait here for the computer to reach a state, instead of sleeping. */
export class Conditions {
  readonly #waiting = new Set<Waiting>();

  wait(isMet: () => boolean, timeoutMs: number, describe: () => string): Promise<void> {
    if (isMet()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const entry = {
        isMet,
        resolve: () => {
          clearTimeout(timer);
          this.#waiting.delete(entry);
          resolve();
        },
        reject: (error: Error) => {
          clearTimeout(timer);
          this.#waiting.delete(entry);
          reject(error);
        },
      };
      const timer = setTimeout(() => entry.reject(new Error(describe())), timeoutMs);
      this.#waiting.add(entry);
    });
  }

  check(): void {
    for (const entry of this.#waiting) {
      let met: boolean;
      try {
        met = entry.isMet();
      } catch (error) {
        entry.reject(error instanceof Error ? error : new Error(String(error)));
        continue;
      }
      if (met) entry.resolve();
    }
  }

  fail(error: Error): void {
    for (const entry of [...this.#waiting]) entry.reject(error);
  }
}
