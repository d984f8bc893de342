import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { scratchDirectory } from "../helpers/scratch.js";

export const root = fileURLToPath(new URL("../../../..", import.meta.url)).replace(/\/$/, "");

/** Each test has its own machine: the ports, /etc, /opt, /srv and /var/lib of this one do not change. */
const setUp = `
set -e
ip link set lo up
for place in /opt /srv /var/lib /var/log /home; do
  copy="$SCRATCH$place"; mkdir -p "$copy" "$place"
  for entry in "$place"/*/; do
    [ -d "$entry" ] || continue
    mkdir -p "$copy/$(basename "$entry")"; mount --rbind "$entry" "$copy/$(basename "$entry")"
  done
  mount --rbind "$copy" "$place"
done
cp -a /etc "$SCRATCH/etc"; mount --bind "$SCRATCH/etc" /etc
cd "$HOME"
# Not with exec: the first process of a machine gets the orphans, which \`script\` does not expect.
script -qefc "bash --noprofile --norc --noediting" /dev/null
exit
`;

const isolated = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
const ownMounts = [...isolated, "--propagation", "private"];
const needed = [
  "ip",
  "mount",
  "script",
  "nsenter",
  "runuser",
  "setpriv",
  "useradd",
  "getent",
].concat(["pgrep", "ss", "curl", "tar", "git", "npx"]);

const answers = ([program = "", ...args]: readonly string[], env = {}) =>
  spawnSync(program, args, { env: { ...process.env, ...env } }).status === 0;

/** What such a machine takes that is not here. It has no network: packages come from what was downloaded before. */
export function obstacle(): string | undefined {
  if (process.getuid?.() !== 0) return "not root";
  const missing = needed.filter((name) => !answers(["sh", "-c", `command -v ${name}`]));
  if (missing.length > 0) return `no ${missing.join(", ")}`;
  const probe = "ip link set lo up && mount --bind /etc /etc";
  if (!answers([...ownMounts, "sh", "-c", probe])) return "no namespaces";
  if (!answers(["runuser", "-u", "nobody", "--", process.execPath, "--version"])) {
    return "other users cannot run this Node";
  }
  if (!answers(["git", "-C", root, "rev-parse", "HEAD"])) return "not a clone";
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const offline = { npm_config_offline: "true" };
  if (!answers(["npx", "-y", packageManager, "--version"], offline) || !existsSync(storeFolder())) {
    return "the packages were not installed with npx and pnpm";
  }
  return undefined;
}

const PROMPT = "ready ";
/** An installation and a build on a busy machine. */
const PATIENCE_MS = 240_000;

/** Programs that are not on every machine, in the way this page uses them. */
const standIns: Readonly<Record<string, string>> = {
  sudo: `#!/bin/sh
[ "$1" = -u ] || exec "$@"
user=$2; shift 3; home=$(getent passwd "$user" | cut -d: -f6)
exec runuser -u "$user" -- env HOME="$home" "$@"
`,
  // Starts what the unit states, as its user and with its folders; service.e2e.test.ts tries the rest of the unit.
  systemctl: `#!/bin/bash
unit=/etc/systemd/system/ccbridge.service
value() { sed -n "s/^$1=//p" $unit; }
stop() {
  [ -e "$SCRATCH/service" ] || return 0
  kill "$(cat "$SCRATCH/service")"
  while kill -0 "$(cat "$SCRATCH/service")" 2>/dev/null; do sleep 0.1; done
  rm "$SCRATCH/service"
}
start() {
  user=$(value User)
  install -d -o "$user" "/var/lib/$(value StateDirectory)" "/var/log/$(value LogsDirectory)"
  home=$(getent passwd "$user" | cut -d: -f6)
  : >> "$SCRATCH/journal"
  umask "$(value UMask)"
  cd /
  setsid setpriv --reuid "$user" --regid "$user" --init-groups \\
    env -i HOME="$home" PATH=/usr/bin:/bin $(value Environment) $(value ExecStart) \\
    >> "$SCRATCH/journal" 2>&1 < /dev/null &
  echo $! > "$SCRATCH/service"
}
case "$1" in
  enable | start) start ;;
  stop) stop ;;
  restart) stop && start ;;
  *) echo "systemctl $1 is not known here" >&2; exit 1 ;;
esac
`,
  journalctl: `#!/bin/sh
exec tail -n +1 -f "$SCRATCH/journal"
`,
};

/** A person at a terminal: types lines, reads what comes. */
export class Terminal {
  readonly home: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #scratch: string;
  readonly #env: Record<string, string>;
  #output = "";
  #seen = 0;
  #look: () => void = () => {};

  private constructor(scratch: string, env: Record<string, string>, command: readonly string[]) {
    this.#scratch = scratch;
    this.#env = env;
    this.home = env.HOME ?? "";
    const [file = "", ...args] = command;
    this.#child = spawn(file, args, { env });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
        this.#look();
      });
    }
    this.#child.stdin.on("error", () => {});
    onTestFinished(() => {
      this.#child.kill("SIGKILL");
    });
  }

  static async open(): Promise<Terminal> {
    const scratch = scratchDirectory();
    const [home, bin] = [join(scratch, "person"), join(scratch, "bin")];
    for (const folder of [home, bin]) mkdirSync(folder);
    for (const [name, text] of Object.entries(standIns)) {
      writeFileSync(join(bin, name), text, { mode: 0o755 });
    }
    // The clone is that of this repository, and packages come from where those of this repository came from.
    const origin = join(scratch, "origin.git");
    git("init", "-q", "--bare", "-b", "main", origin);
    git("-C", origin, "config", "receive.shallowUpdate", "true");
    git("-C", root, "push", "-q", origin, "HEAD:refs/heads/main");
    const ours = `[url "${origin}"]\n  insteadOf = https://github.com/ccbridge/ccbridge\n[safe]\n  directory = *\n`;
    writeFileSync(join(home, ".gitconfig"), ours);
    const env = {
      ...{ HOME: home, SCRATCH: scratch, PATH: `${bin}:${process.env.PATH}`, TERM: "dumb" },
      ...{
        LANG: "C.UTF-8",
        USER: "person",
        npm_config_cache: npm("cache"),
        npm_config_offline: "true",
      },
      npm_config_store_dir: storeFolder(),
    };
    const command = [...ownMounts, "bash", "-c", setUp];
    const terminal = new Terminal(scratch, env, command);
    await terminal.#begin();
    return terminal;
  }

  /** A second window on the same machine. */
  async another(): Promise<Terminal> {
    const outer = spawnSync("pgrep", ["-P", String(this.#child.pid)], { encoding: "utf8" });
    const command = [
      ...["nsenter", "--target", outer.stdout.trim(), "--mount", "--net", "--pid"],
      ...["script", "-qefc", "bash --noprofile --norc --noediting", "/dev/null"],
    ];
    const terminal = new Terminal(this.#scratch, this.#env, command);
    await terminal.#begin();
    return terminal;
  }

  async #begin(): Promise<void> {
    this.press(`PS1='${PROMPT}$? > '; cd ~\n`);
    await this.until(/ready 0 > $/);
  }

  /** Types a line and waits until it is done: what it printed. It must succeed. */
  async type(line: string): Promise<string> {
    this.press(`${line}\n`);
    const printed = await this.until(/ready (\d+) > $/);
    expect(printed.match(/ready (\d+) > $/)?.[1], printed).toBe("0");
    return printed;
  }

  /** Types a line that goes on, and waits for what it prints. */
  async start(line: string, until: RegExp): Promise<string> {
    this.press(`${line}\n`);
    return this.until(until);
  }

  /** Ctrl+C. */
  async stop(): Promise<string> {
    this.press("\x03");
    return this.until(/ready \d+ > $/);
  }

  press(keys: string): void {
    this.#seen = this.#output.length;
    this.#child.stdin.write(keys);
  }

  until(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`the terminal ended:\n${this.#output}`));
      const patience = setTimeout(
        () => reject(new Error(`${pattern} did not come:\n${plain(this.#output).slice(-4_000)}`)),
        PATIENCE_MS,
      );
      this.#child.once("exit", ended);
      this.#look = () => {
        const printed = plain(this.#output.slice(this.#seen));
        if (!pattern.test(printed)) return;
        this.#child.off("exit", ended);
        clearTimeout(patience);
        this.#look = () => {};
        resolve(printed);
      };
      this.#look();
    });
  }

  /** A file of this machine, as seen from outside. */
  path(place: string): string {
    return join(this.#scratch, place);
  }
}

function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of the terminal
  return text.replaceAll("\r", "").replace(/\x1b\[[\d;?]*[a-zA-Z]/g, "");
}

function git(...args: string[]): void {
  const { status, stderr } = spawnSync("git", args, { encoding: "utf8" });
  expect(status, stderr).toBe(0);
}

function npm(name: string): string {
  return spawnSync("npm", ["config", "get", name], { encoding: "utf8" }).stdout.trim();
}

/** Where pnpm keeps the packages of this clone. */
function storeFolder(): string {
  const path = join(root, "node_modules/.modules.yaml");
  const state = existsSync(path) ? readFileSync(path, "utf8") : "";
  return /"?storeDir"?: "?([^",\n]+)\//.exec(state)?.[1] ?? "";
}

/** The lines of the `sh` blocks of a page, without their comments, and which of them were typed. */
export class TypedPage {
  readonly #path: string;
  readonly #left: string[];

  constructor(path: string) {
    this.#path = path;
    this.#left = commandsOf(path).map(({ line }) => line);
  }

  /** The line, which must be in the page as it is here. */
  line(line: string): string {
    const index = this.#left.indexOf(line);
    expect(index, `${this.#path} has no command ${line}`).toBeGreaterThanOrEqual(0);
    this.#left.splice(index, 1);
    return line;
  }

  /** Lines that this test cannot type. */
  get left(): readonly string[] {
    return this.#left;
  }
}

export function commandsOf(path: string): { line: string; isLater: boolean }[] {
  const text = readFileSync(join(root, path), "utf8");
  const blocks = [...text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)];
  return blocks.flatMap(({ 2: block = "", index }) => {
    const before =
      text
        .slice(0, index)
        .trimEnd()
        .split(/\n\s*\n/)
        .at(-1) ?? "";
    const isLater = /after publishing/i.test(`${before}\n${block}`);
    return block
      .replaceAll(/\\\n\s*/g, "")
      .split("\n")
      .map((line) => line.replace(/(^|\s)#\s.*$/, "").trim())
      .filter((line) => line !== "")
      .map((line) => ({ line, isLater }));
  });
}
