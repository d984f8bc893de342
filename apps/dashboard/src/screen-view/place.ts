import { signal } from "@preact/signals";
import type { Host, HostContext } from "./host.js";

const STYLE_NAME = /^--(color|font|border)-[\w-]+$/;

export class Place {
  readonly mostHeight = signal<string | undefined>(undefined);
  readonly isWide = signal(false);
  readonly canWiden = signal(false);
  #context: HostContext = {};

  update(news: HostContext): void {
    this.#context = { ...this.#context, ...news };
    const { theme, styles, safeAreaInsets: inset, displayMode } = this.#context;
    const { style, dataset } = document.documentElement;
    if (theme === "light" || theme === "dark") dataset.theme = theme;
    for (const [name, value] of Object.entries(styles?.variables ?? {})) {
      if (STYLE_NAME.test(name) && typeof value === "string") style.setProperty(name, value);
    }
    if (inset !== undefined) {
      const sides = [inset.top, inset.right, inset.bottom, inset.left];
      document.body.style.padding = sides.map((side) => `${Number(side) || 0}px`).join(" ");
    }
    const { height, maxHeight } = this.#context.containerDimensions ?? {};
    const most = Number(height ?? maxHeight);
    this.isWide.value = displayMode === "fullscreen";
    this.mostHeight.value = this.isWide.value ? "100vh" : most > 0 ? `${most}px` : undefined;
    this.canWiden.value = this.#context.availableDisplayModes?.includes("fullscreen") ?? false;
  }

  async widen(host: Host): Promise<void> {
    const mode = this.isWide.value ? "inline" : "fullscreen";
    const answer = (await host.request("ui/request-display-mode", { mode })) as HostContext & {
      mode?: string;
    };
    if (answer.mode !== undefined) this.update({ displayMode: answer.mode });
  }
}

export function reportSize(host: Host): void {
  let reported = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height === reported) return;
    reported = height;
    host.notify("ui/notifications/size-changed", { height });
  }).observe(document.body);
}
