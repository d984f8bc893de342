import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { health, spawnBridge, spawnProgram } from "../../apps/bridge/test/helpers/spawn-bridge.js";
import { root } from "../../scripts/package-managers.mjs";
import { type Image, parseDockerfile, runSteps } from "./dockerfile.js";

const source = readFileSync(join(root, "Dockerfile"), "utf8");

describe("the steps of the Dockerfile, run in a plain folder", () => {
  let scratch: string;
  let image: Image;

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), "ccbridge-image-"));
    image = await runSteps(parseDockerfile(source), root, scratch);
    rmSync(join(scratch, "0"), { recursive: true });
  }, 900_000);

  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  const command = () =>
    image.entrypoint.map((word) => (word.startsWith("/") ? join(image.root, word) : word));
  const env = () => ({ ...image.env, HOME: join(image.root, "data") });

  it("leave an image that runs without root, keeps its state in a volume, and holds no sources", () => {
    expect(image.user).toBe("1000:1000");
    expect(image.workdir).toBe("/data");
    expect(readdirSync(image.root).sort()).toEqual(["app", "data"]);
    expect(existsSync(join(image.root, "app/node_modules/@ccbridge/bridge/src"))).toBe(false);
    expect(existsSync(join(image.root, "app/node_modules/.bin/vitest"))).toBe(false);
  });

  it("leave a bridge that serves, with its dashboard, and is healthy", async () => {
    const bridge = await spawnBridge([], env(), command());
    expect(await health(bridge.mcpUrl)).toMatchObject({ ok: true });
    const page = await fetch(new URL("/", bridge.mcpUrl), { headers: { accept: "text/html" } });
    expect(await page.text()).toContain("<script");
    const check = (port: number) => {
      const [program = "", ...args] = image.healthcheck;
      return spawnSync(program, args, { env: { ...process.env, MCP_PORT: String(port) } }).status;
    };
    expect(check(bridge.mcpPort)).toBe(0);
    expect(await bridge.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(check(bridge.mcpPort)).toBe(1);
  });

  it("leave the agent for Minecraft servers", async () => {
    const agent = spawnProgram(["minecraft-agent", "--help"], env(), command());
    expect(await agent.exited).toMatchObject({ code: 0 });
    expect(agent.lines.join("\n")).toContain("BRIDGE_URL");
  });
});

const hasHadolint = spawnSync("hadolint", ["--version"]).status === 0;

it.skipIf(!hasHadolint)("hadolint finds nothing to improve", () => {
  const { stdout, status } = spawnSync("hadolint", ["--no-color", "Dockerfile"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});
