export class Visibility {
  #isOnScreen = true;
  #waiting = new Set<() => void>();
  readonly #hidden = new Set<() => void>();

  constructor() {
    new IntersectionObserver((entries) => {
      this.#isOnScreen = entries.at(-1)?.isIntersecting ?? true;
      this.#notify();
    }).observe(document.documentElement);
    document.addEventListener("visibilitychange", () => this.#notify());
  }

  get isSeen(): boolean {
    return this.#isOnScreen && document.visibilityState === "visible";
  }

  async seen(): Promise<void> {
    if (!this.isSeen) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  onHidden(listener: () => void): void {
    this.#hidden.add(listener);
  }

  #notify(): void {
    if (!this.isSeen) for (const listener of this.#hidden) listener();
    else {
      for (const resolve of this.#waiting) resolve();
      this.#waiting = new Set();
    }
  }
}
