import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { writePrivately } from "./private-file.js";
import { type Config, type SettingName, settings } from "./settings.js";

export const liveNames = [
  "readOnly",
  "tools",
  "pairing",
  "historyCallDays",
  "historyEventDays",
  "historyJobDays",
  "historyChangeDays",
  "historyMaxBytes",
] as const satisfies readonly SettingName[];

export type LiveName = (typeof liveNames)[number];
export type LiveValues = Pick<Config, LiveName>;

export class LiveSettingError extends Error {
  override readonly name = "LiveSettingError";
}

const FileSchema = z.object({
  version: z.literal(1),
  settings: z.record(z.string(), z.string()),
});

/** Undefined on a random port, where no later start could find it again. */
export function usualSettingsFile(home: string, linkPort: number): string | undefined {
  if (linkPort === 0) return undefined;
  const isUsual = linkPort === settings.linkPort.default;
  return join(home, ".ccbridge", isUsual ? "settings.json" : `settings-${linkPort}.json`);
}

/** What owners changed, by the names of environment variables. Throws when the file is unusable. */
export function readKeptSettings(path: string): Readonly<Record<string, string>> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new LiveSettingError(`cannot read ${path}: ${(error as Error).message}`);
  }
  try {
    return FileSchema.parse(JSON.parse(text)).settings;
  } catch {
    throw new LiveSettingError(
      `${path} is not a file of settings. Fix it, or move it away to begin with the defaults.`,
    );
  }
}

export function liveNameOf(env: string): LiveName | undefined {
  return liveNames.find((name) => settings[name].env === env);
}

export function settingText(value: boolean | number | string | readonly string[]): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  return typeof value === "object" ? value.join(",") : String(value);
}

/**
 * The settings of a running bridge. What the command line or the environment states cannot be changed here; the rest is
 * kept in a file, if there is one, and read at the next start.
 */
export class LiveSettings {
  readonly #config: Config;
  readonly #listeners = new Set<(name: LiveName) => void>();
  #values: LiveValues;

  constructor(config: Config) {
    this.#config = config;
    this.#values = config;
  }

  get values(): LiveValues {
    return this.#values;
  }

  /** Where changes are kept; undefined: until the bridge stops. */
  get file(): string | undefined {
    return this.#config.settingsFile || undefined;
  }

  isFixed(name: LiveName): boolean {
    const { given, kept = [] } = this.#config;
    if (given !== undefined) return given.includes(name);
    // Of a program that starts a bridge, what differs from the default is what it states.
    return !kept.includes(name) && !isDeepStrictEqual(this.#config[name], settings[name].default);
  }

  /** Saves the value before it takes effect. Throws a {@link LiveSettingError}, and changes nothing. */
  change(env: string, text: string): void {
    const name = liveNameOf(env);
    if (name === undefined) throw new LiveSettingError(`${env} cannot be changed while it runs.`);
    if (this.isFixed(name)) {
      throw new LiveSettingError(
        `${env} is set where the bridge is started: change it there, and start the bridge again.`,
      );
    }
    const parsed = settings[name].schema.safeParse(text);
    if (!parsed.success) {
      throw new LiveSettingError(`${env} ${parsed.error.issues[0]?.message ?? "is not valid"}.`);
    }
    const changed = { ...this.#values, [name]: parsed.data };
    this.#save(changed);
    this.#values = changed;
    for (const listener of [...this.#listeners]) listener(name);
  }

  subscribe(listener: (name: LiveName) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #save(values: LiveValues): void {
    const { file } = this;
    if (file === undefined) return;
    const changed = liveNames.filter(
      (name) => !this.isFixed(name) && !isDeepStrictEqual(values[name], settings[name].default),
    );
    const entries = changed.map((name) => [settings[name].env, settingText(values[name])]);
    try {
      // What a newer bridge keeps there stays.
      const others = Object.entries(readKeptSettings(file)).filter(([env]) => {
        const name = liveNameOf(env);
        return name === undefined || this.isFixed(name);
      });
      writePrivately(file, { version: 1, settings: Object.fromEntries([...others, ...entries]) });
    } catch (error) {
      if (error instanceof LiveSettingError) throw error;
      throw new LiveSettingError(`${file} cannot be written: ${(error as Error).message}`);
    }
  }
}
