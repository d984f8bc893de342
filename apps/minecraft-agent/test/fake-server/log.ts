import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export const layouts = {
  vanilla: (thread: string, text: string) => `[12:34:56] [${thread}/INFO]: ${text}`,
  paper: (thread: string, text: string) => `[12:34:56] [${thread}/INFO]: ${text}`,
  forge: (thread: string, text: string) =>
    `[17Nov2026 12:34:56.789] [${thread}/INFO] [net.minecraft.server.MinecraftServer/]: ${text}`,
  neoforge: (thread: string, text: string) =>
    `[1712月2026 12:34:56.789] [${thread}/INFO] [net.minecraft.server.dedicated.DedicatedServer/]: ${text}`,
} as const;

export type Layout = keyof typeof layouts;

export class FakeLog {
  readonly path: string;
  readonly #layout: Layout;
  #rotations = 0;

  constructor(path: string, layout: Layout) {
    this.path = path;
    this.#layout = layout;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "");
    this.say("Starting minecraft server version 1.21.11");
  }

  say(text: string, thread = "Server thread"): void {
    this.raw(`${layouts[this.#layout](thread, text)}\n`);
  }

  chat(player: string, message: string): void {
    const thread = this.#layout === "paper" ? "Async Chat Thread - #3" : "Server thread";
    this.say(`<${player}> ${message}`, thread);
  }

  raw(text: string): void {
    appendFileSync(this.path, text);
  }

  rotate(): void {
    this.#rotations += 1;
    renameSync(this.path, this.path.replace("latest", `2026-11-16-${this.#rotations}`));
    writeFileSync(this.path, "");
  }
}
