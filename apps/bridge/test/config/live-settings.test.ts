import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { LiveSettings } from "../../src/config/live-settings.js";
import { loadCommand } from "../../src/config/load.js";
import { type Config, environmentOf } from "../../src/config/settings.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { problems } from "./helpers.js";

/** The configuration of a start in this home. */
function start(home: string, argv: string[] = [], env: Record<string, string> = {}): Config {
  const command = loadCommand({ argv, env, home });
  if (command.action !== "serve") return expect.unreachable();
  return command.config;
}

describe("settings that an owner changes while the bridge runs", () => {
  it("hold at the next start, in a file that only its owner can read", () => {
    const home = scratchDirectory();
    const live = new LiveSettings(start(home));
    live.change("CC_READ_ONLY", "on");
    live.change("CC_TOOLS", "core,files");
    live.change("CC_HISTORY_CALL_DAYS", "30");
    expect(live.file).toBe(join(home, ".ccbridge/settings.json"));
    expect(statSync(live.file ?? "").mode & 0o077).toBe(0);
    const config = start(home);
    const changed = { readOnly: true, tools: ["core", "files"], historyCallDays: 30 };
    expect(config).toMatchObject(changed);
    expect(new LiveSettings(config).values).toMatchObject(changed);
    // They can still be changed, also back to what they were.
    const again = new LiveSettings(config);
    again.change("CC_READ_ONLY", "off");
    expect(start(home)).toMatchObject({ ...changed, readOnly: false });
    // A client that starts its own bridge reads them from the file too: they are no part of its configuration.
    expect(environmentOf(config)).not.toHaveProperty("CC_TOOLS");
  });

  it("give way to flags and the environment, and cannot be changed then", () => {
    const home = scratchDirectory();
    new LiveSettings(start(home)).change("CC_READ_ONLY", "on");
    for (const [argv, env] of [
      [["--cc-read-only", "off"], {}],
      [[], { CC_READ_ONLY: "off" }],
    ] as const) {
      const config = start(home, [...argv], env);
      expect(config.readOnly).toBe(false);
      const live = new LiveSettings(config);
      expect(() => live.change("CC_READ_ONLY", "on")).toThrow(new RegExp(texts.ccReadOnlyIs));
      // What was changed before is kept for a start without the flag.
      live.change("CC_PAIRING", "on");
      expect(start(home)).toMatchObject({ readOnly: true, pairing: "on" });
      live.change("CC_PAIRING", "auto");
    }
  });

  it("are those of one bridge: of another link port, or a random one, others", () => {
    const home = scratchDirectory();
    const other = start(home, ["--cc-link-port", "4001"]);
    new LiveSettings(other).change("CC_READ_ONLY", "on");
    expect(other.settingsFile).toBe(join(home, ".ccbridge/settings-4001.json"));
    expect(start(home).readOnly).toBe(false);
    const random = new LiveSettings(start(home, ["--cc-link-port", "0"]));
    random.change("CC_READ_ONLY", "on");
    expect(random.file).toBeUndefined();
  });

  it("of a program that starts a bridge are its own where they differ from the default", () => {
    const config = { ...start(scratchDirectory()), given: undefined, readOnly: true };
    const live = new LiveSettings(config as unknown as Config);
    expect(live.isFixed("readOnly")).toBe(true);
    expect(live.isFixed("pairing")).toBe(false);
  });

  it("are refused when they are invalid, unknown or cannot be saved, and nothing changes", () => {
    const home = scratchDirectory();
    const live = new LiveSettings(start(home));
    expect(() => live.change("CC_TOOLS", "core,magic")).toThrow(/^CC_TOOLS must be some of/);
    expect(() => live.change("CC_HISTORY_CALL_DAYS", "0")).toThrow("must be at least 1");
    expect(() => live.change("MCP_HOST", "0.0.0.0")).toThrow(texts.cannotBeChangedWhile);
    writeFileSync(join(home, ".ccbridge"), "not a folder");
    expect(() => live.change("CC_READ_ONLY", "on")).toThrow(/settings\.json/);
    expect(live.values).toBe(live.values);
    expect(live.values.readOnly).toBe(false);
  });

  it("of a newer bridge stay in the file, and a damaged file prevents the start", () => {
    const path = join(scratchDirectory(), "settings.json");
    const env = { CC_SETTINGS_FILE: path };
    const write = (settings: object) =>
      writeFileSync(path, JSON.stringify({ version: 1, settings }));
    write({ CC_LATER: "yes" });
    new LiveSettings(start("/nowhere", [], env)).change("CC_READ_ONLY", "on");
    expect(JSON.parse(readFileSync(path, "utf8")).settings).toEqual({
      CC_LATER: "yes",
      CC_READ_ONLY: "on",
    });
    write({ CC_READ_ONLY: "perhaps" });
    expect(problems([], env)).toEqual([texts.ccSettingsFileCc]);
    writeFileSync(path, "{");
    expect(problems([], env)[0]).toContain(fill(texts.isNotAFile, path));
  });
});
