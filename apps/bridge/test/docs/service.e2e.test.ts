import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openSocket } from "../helpers/computer.js";
import { freePort } from "../helpers/ports.js";
import { hostingBlocks } from "../helpers/real-proxy.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { type SpawnedBridge, spawnBridge, spawnProgram } from "../helpers/spawn-bridge.js";

const [unit = ""] = hostingBlocks("ini");
const clone = fileURLToPath(new URL("../../../..", import.meta.url)).replace(/\/$/, "");

function valuesOf(name: string): string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);
}

/** All mounts become read-only but those of the folders given, as systemd does it for the unit. */
const sandbox = `
for place in $WRITABLE; do mount --bind "$place" "$place"; done
while read -r _ point _; do
  case " $WRITABLE " in *" $point "*) ;; *) mount -o remount,ro,bind "$point" 2>/dev/null || true ;; esac
done < /proc/self/mounts
if touch "$FORBIDDEN" 2>/dev/null; then echo "the root is not read-only" >&2; exit 9; fi
umask "$MASK"
exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all "$@"
`;
const unshare = ["unshare", "--mount", "--propagation", "private", ...asRoot()];

function asRoot(): string[] {
  return process.getuid?.() === 0 ? [] : ["--map-root-user"];
}

const [first = "", ...others] = unshare;
const canIsolate =
  spawnSync(first, [...others, "setpriv", "--no-new-privs", "mount", "--version"]).status === 0;

interface Folders {
  readonly home: string;
  readonly logs: string;
  readonly etc: string;
}

function folders(): Folders {
  const place = scratchDirectory();
  const made = { home: join(place, "state"), logs: join(place, "logs"), etc: join(place, "etc") };
  for (const folder of Object.values(made)) mkdirSync(folder);
  writeFileSync(join(made.etc, "link-tokens"), "0e9c4f52-7a81-4b3d-9d6e-c1f8a2b7d305\n", {
    mode: 0o640,
  });
  return made;
}

/** Starts what the unit starts, with the paths of this machine in place of the documented ones. */
async function startService(made: Folders, writable: readonly string[]) {
  // The public addresses say nothing about the ports.
  const [mcpPort, linkPort] = [await freePort(), await freePort()];
  const here = (text: string) =>
    text
      .replace("/var/log/ccbridge", made.logs)
      .replace("/etc/ccbridge", made.etc)
      .replace("/opt/ccbridge", clone)
      .replace("/usr/bin/node", process.execPath);
  const env = Object.fromEntries(
    valuesOf("Environment").map((line) => here(line).split(/=(.*)/s) as [string, string]),
  );
  const [command = ""] = valuesOf("ExecStart");
  const bridge = await spawnBridge(
    [],
    {
      ...env,
      MCP_PORT: String(mcpPort),
      CC_LINK_PORT: String(linkPort),
      CC_HISTORY_FILE: join(made.home, ".ccbridge", "history.db"),
      CC_HISTORY: "on",
      CC_PAIRING: "on",
      HOME: made.home,
      WRITABLE: writable.join(" "),
      FORBIDDEN: join(clone, "written"),
      MASK: valuesOf("UMask")[0] ?? "",
    },
    [...unshare, "sh", "-c", sandbox, "sh", ...here(command).split(" ")],
  );
  return { ...bridge, mcpPort, linkPort };
}

describe.skipIf(!canIsolate)("the documented service, on a read-only file system", () => {
  it("approves computers, audits, keeps its history and creates tokens", async () => {
    expect(unit).toContain("ProtectSystem=strict");
    expect([valuesOf("StateDirectory"), valuesOf("LogsDirectory")]).toEqual([
      ["ccbridge"],
      ["ccbridge"],
    ]);
    const made = folders();
    const added = spawnProgram(["token", "add", "--name", "owner"], { HOME: made.home });
    expect(await added.exited).toMatchObject({ code: 0 });
    const bridge = await startService(made, [made.home, made.logs]);
    const { socket } = await openSocket(`ws://127.0.0.1:${bridge.linkPort}`, {
      headers: { authorization: "Bearer 0e9c4f52-7a81-4b3d-9d6e-c1f8a2b7d305" },
    });
    const messages: { type: string; code?: string }[] = [];
    socket.on("message", (data) => messages.push(JSON.parse(String(data))));
    socket.send(
      JSON.stringify({ type: "hello", computerId: 5, protocol: 2, features: ["pairing"] }),
    );
    await expect.poll(() => messages[0]?.code).toBeDefined();
    const port = ["--mcp-port", String(bridge.mcpPort)];
    const paired = spawnProgram(["pair", messages[0]?.code ?? "", ...port], { HOME: made.home });
    expect(await paired.exited).toMatchObject({ code: 0 });
    await expect.poll(() => messages.map(({ type }) => type)).toContain("paired");
    const file = join(made.home, ".ccbridge", "paired.json");
    expect(JSON.parse(readFileSync(file, "utf8")).computers).toMatchObject([{ computerId: 5 }]);
    const audit = join(made.logs, "audit.jsonl");
    expect(readFileSync(audit, "utf8")).toContain("pairing-confirmed");
    expect(statSync(audit).mode & 0o077).toBe(0);
    const { history, warnings } = started(bridge);
    expect(history).toMatch(/history\.db \((node:sqlite|libsql)\)$/);
    expect(warnings).toEqual([]);
  });

  it("reports at start that the state folder cannot be written", async () => {
    const made = folders();
    const bridge = await startService(made, [made.logs]);
    await bridge.line((line) => line.includes("Approvals of computers cannot be saved"));
    await bridge.line((line) => line.includes("History is kept in memory only"));
  });
});

const analyzer = "systemd-analyze";
const hasAnalyzer = spawnSync(analyzer, ["--version"]).status === 0;

it.skipIf(!hasAnalyzer)("systemd accepts every line of the unit", () => {
  const file = join(scratchDirectory(), "ccbridge.service");
  writeFileSync(
    file,
    unit.replace("User=ccbridge", "User=root").replace(/^ExecStart=.*$/m, "ExecStart=/bin/true"),
  );
  const { stdout, stderr } = spawnSync(analyzer, ["verify", file], { encoding: "utf8" });
  expect(`${stdout}${stderr}`).toBe("");
});

function started(bridge: SpawnedBridge) {
  const lines = bridge.lines.map((line) => JSON.parse(line));
  const warnings = lines.filter(({ level }) => level >= 40).map(({ msg }) => msg as string);
  const { history } = lines.find(({ msg }) => msg === "bridge started");
  return { history: history as string, warnings };
}
