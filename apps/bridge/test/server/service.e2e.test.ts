// The systemd unit of docs/minecraft.md: checked by systemd itself where available, and its command
// started as systemd would, with only the unit's environment, by a user without write access.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { spawnProgram } from "../helpers/spawn-bridge.js";
import { agentProgram, startGame } from "./agent-process.js";
import { connect, startServerBridge, token } from "./helpers.js";

const repository = fileURLToPath(new URL("../../../../", import.meta.url));
const docs = join(repository, "docs/minecraft.md");
const [, unit = ""] = /```ini\n(\[Unit\][^`]*)```/.exec(readFileSync(docs, "utf8")) ?? [];

const directives = (name: string) =>
  unit
    .split("\n")
    .filter((line) => line.startsWith(`${name}=`))
    .map((line) => line.slice(name.length + 1));

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "ccbridge-service-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const analyzer = "systemd-analyze";
const hasSystemd = spawnSync(analyzer, ["--version"]).status === 0;
const UNPRIVILEGED_ID = 65_534;

const unprivileged = { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID };
const isRoot = process.getuid?.() === 0;
const canBeUnprivileged =
  isRoot &&
  spawnSync(process.execPath, [agentProgram, "--version"], { ...unprivileged, env: {} }).status ===
    0;

it.skipIf(!hasSystemd)("systemd accepts the unit", () => {
  const path = join(scratch(), "ccbridge-minecraft.service");
  writeFileSync(path, unit);
  const { status, stderr } = spawnSync(analyzer, ["verify", path], { encoding: "utf8" });
  expect(stderr.split("\n").filter((line) => line.includes("ccbridge"))).toEqual([]);
  expect(status).toBe(0);
});

it.skipIf(process.platform === "win32")(
  "its command runs as an unprivileged user with the unit's environment alone, and stops on SIGTERM",
  async () => {
    const game = await startGame();
    game.world.addPlayer("Steve");
    const bridge = await startServerBridge();
    // The service's user may read the server's folder, and no more.
    chmodSync(game.folder, 0o755);
    const environment = Object.fromEntries(
      directives("Environment").map((text) => text.split(/=(.*)/s) as [string, string]),
    );
    expect(environment.BRIDGE_URL).toBe("ws://127.0.0.1:3001/minecraft");
    const [command = ""] = directives("ExecStart");
    const [folder = ""] = directives("WorkingDirectory");
    expect(command.endsWith(` ${folder}`)).toBe(true);
    const [file = "", ...args] = command
      .replace(folder, game.folder)
      .replace("/opt/ccbridge/", repository)
      .split(" ");
    const { child, lines, line, exited } = spawnProgram([], {}, [file, ...args], {
      ...(canBeUnprivileged ? unprivileged : {}),
      cwd: game.folder,
      env: {
        ...environment,
        BRIDGE_URL: bridge.serversUrl,
        AUTH_TOKEN: token,
        HOME: "/nonexistent",
        PATH: [dirname(process.execPath), "/usr/local/bin:/usr/bin:/bin"].join(":"),
      },
    });
    await line((text) => text.includes("linked to the bridge"));
    const { call } = await connect(bridge);
    await expect.poll(async () => (await call("get_online_players")).text).toContain("Steve");
    child.kill("SIGTERM");
    expect(await exited).toMatchObject({ code: 0, signal: null });
    expect(lines.at(-1)).toContain("stopped");
    await expect.poll(() => bridge.registry.size).toBe(0);
  },
);
