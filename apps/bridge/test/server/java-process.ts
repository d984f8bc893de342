import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { type SpawnedProgram, spawnProgram } from "../helpers/spawn-bridge.js";
import { token } from "./helpers.js";

const core = fileURLToPath(new URL("../../../../mods/core/", import.meta.url));

const compiler = "javac";

export const missingJava = (() => {
  const { status, stdout } = spawnSync(compiler, ["-version"], { encoding: "utf8" });
  if (status !== 0) return "there is no JDK";
  const [, major = "0"] = /javac (\d+)/.exec(stdout) ?? [];
  return Number(major) < 17 ? `the JDK is ${major}, and 17 is needed` : undefined;
})();

export function compileCore(): { classes: string; remove(): void } {
  const classes = mkdtempSync(join(tmpdir(), "ccbridge-java-"));
  const main = join(core, "src/main/java");
  const test = join(core, "src/test/java/dev/ccbridge/core");
  const game = ["ScriptedServer", "fake/FakeGame", "fake/FakeCommands", "fake/FakeThread"];
  const sources = [
    ...readdirSync(main, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".java"))
      .map((path) => join(main, path)),
    ...game.map((name) => join(test, `${name}.java`)),
  ];
  const { status, stderr } = spawnSync(
    compiler,
    ["--release", "17", "-encoding", "UTF-8", "-d", classes, ...sources],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`the core does not compile:\n${stderr}`);
  return { classes, remove: () => rmSync(classes, { recursive: true, force: true }) };
}

export interface JavaServer extends SpawnedProgram {
  play(step: { do: string; [name: string]: unknown }): Promise<unknown>;
  count(text: string): number;
  /** Waits until so many lines of the log have a text. */
  said(text: string, times: number): Promise<void>;
  linked(times?: number): Promise<void>;
  configure(toml: string): void;
}

export function writeSettings(url: string, toml: string) {
  const folder = mkdtempSync(join(tmpdir(), "ccbridge-java-server-"));
  mkdirSync(join(folder, "config"));
  const path = join(folder, "config", "minecraft-mcp-bridge.toml");
  const write = (text: string) => {
    const bridge = `[bridge]\nurl = "${url}"\nauth_token = "${token}"\nreconnect_delay = 100\n`;
    // At once: the core reads the file while it is written.
    writeFileSync(`${path}.new`, `${bridge}${text}`);
    renameSync(`${path}.new`, path);
  };
  write(toml);
  return { folder, path, write };
}

export function spawnServer(classes: string, url: string, toml = ""): JavaServer {
  const { folder, path, write: configure } = writeSettings(url, toml);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const command = ["java", "-Xmx128m", "-cp", classes, "dev.ccbridge.core.ScriptedServer"];
  const program = spawnProgram([path], {}, command);
  let played = 0;
  const count = (text: string) => program.lines.filter((line) => line.includes(text)).length;
  const said = async (text: string, times: number) => {
    if (count(text) < times)
      await program.line((line) => line.includes(text) && count(text) >= times);
  };
  return {
    ...program,
    configure,
    async play(step) {
      const number = played++;
      program.child.stdin.write(`${JSON.stringify({ ...step, number })}\n`);
      const line = await program.line((text) => text.startsWith(`{"did":${number},`));
      return (JSON.parse(line) as { result: unknown }).result;
    },
    count,
    said,
    linked: (times = 1) => said("linked to the bridge url", times),
  };
}
