import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadCommand } from "../../apps/bridge/src/config/load.js";
import { settings } from "../../apps/bridge/src/config/settings.js";
import { root } from "../../scripts/package-managers.mjs";
import { owner, version } from "../stamp.mjs";
import { parseDockerfile } from "./dockerfile.js";

const read = (path: string) => readFileSync(join(root, path), "utf8");

interface Service {
  image: string;
  command?: string[];
  environment: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  network_mode?: string;
  depends_on?: Record<string, unknown>;
}

interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, null>;
}

const files = [
  "compose.yaml",
  "packaging/compose/minecraft.yaml",
  "packaging/compose/cluster.yaml",
];
const [alone, withServer, cluster] = files.map(
  (file) => parse(read(file), { merge: true }) as Compose,
) as [Compose, Compose, Compose];

/** Fills in variables as Compose does; those with `:?` must be given. */
function filled(text: string, env: Record<string, string>): string {
  return text.replaceAll(/\$\{(\w+)(?::([?-])([^}]*))?\}/g, (_, name, kind, word) => {
    const value = env[name] || undefined;
    if (value === undefined && kind === "?") throw new Error(`${name}: ${word}`);
    return value ?? word ?? "";
  });
}

const given = { MCP_TOKENS: "t".repeat(32), MINECRAFT_TOKEN: "m".repeat(32), EULA: "TRUE" };

describe("the compose files", () => {
  it("start the bridge with settings that it accepts, one file or both", () => {
    const known = new Set(Object.values(settings).map(({ env }) => env as string));
    const services = [alone.services.bridge, withServer.services.bridge];
    const env = Object.fromEntries(
      services.flatMap((service) => Object.entries(service?.environment ?? {})),
    );
    expect(Object.keys(env).filter((name) => !known.has(name))).toEqual([]);
    const values = Object.entries(env).map(([name, value]) => [name, filled(value, given)]);
    expect(loadCommand({ argv: [], env: Object.fromEntries(values) })).toMatchObject({
      action: "serve",
      config: { mcpHost: "0.0.0.0", pairing: "on", minecraftTokens: [given.MINECRAFT_TOKEN] },
    });
  });

  it.each(Object.keys(given))("say what to write when %s is missing", (name) => {
    const all = files.map(read).join("\n");
    expect(() => filled(all, { ...given, [name]: "" })).toThrow(`write ${name}=`);
  });

  it("publish the MCP port to this machine only, and RCON not at all", () => {
    expect(alone.services.bridge?.ports).toEqual(["127.0.0.1:3000:3000", "3001:3001"]);
    expect(JSON.stringify(withServer)).not.toContain("25575");
  });

  it("run the image of this version as a user that can write only the volumes", () => {
    const ours = [alone.services.bridge, withServer.services.agent];
    for (const service of ours) {
      expect(service).toMatchObject({
        image: `ghcr.io/${owner}/ccbridge:${version}`,
        read_only: true,
        cap_drop: ["ALL"],
      });
    }
    const volumes = [...Object.keys(alone.volumes), ...Object.keys(withServer.volumes)];
    const mounted = [...Object.values(alone.services), ...Object.values(withServer.services)]
      .flatMap((service) => service.volumes ?? [])
      .map((mount) => mount.split(":")[0]);
    expect([...new Set(mounted)].sort()).toEqual(volumes.sort());
  });

  it("start three bridges of one cluster, whose NATS only they reach", () => {
    const { nats, bridge, two, three } = cluster.services;
    const members = [
      { ...alone.services.bridge?.environment, ...bridge?.environment },
      two?.environment,
      three?.environment,
    ];
    const configs = members.map((env) => {
      const values = Object.entries(env ?? {}).map(([name, value]) => [name, filled(value, given)]);
      return loadCommand({ argv: [], env: Object.fromEntries(values) });
    });
    expect(configs).toMatchObject(
      ["one", "two", "three"].map((clusterName) => ({
        action: "serve",
        config: { cluster: ["nats://nats:4222"], clusterName, pairing: "on" },
      })),
    );
    expect(nats?.ports).toBeUndefined();
  });

  it("link the agent to the bridge, through the server's network", () => {
    const { agent } = withServer.services;
    expect(agent).toMatchObject({
      network_mode: "service:minecraft",
      command: ["minecraft-agent", "/minecraft"],
    });
    const url = new URL(agent?.environment.BRIDGE_URL ?? "");
    expect(Object.keys(alone.services)).toContain(url.hostname);
    expect(alone.services.bridge?.ports?.some((port) => port.endsWith(`:${url.port}`))).toBe(true);
  });
});

describe("the image", () => {
  it("is built without what git ignores", () => {
    const listed = (file: string) => read(file).split("\n").filter(Boolean);
    const docker = new Set(listed(".dockerignore").map((line) => line.replace(/^\*\*\//, "")));
    expect(listed(".gitignore").filter((line) => !docker.has(line))).toEqual([]);
    expect(docker).toContain(".git/");
    expect(docker).toContain(".env");
  });

  it("has the pnpm of the workspace, and the ports and volume of the compose files", () => {
    const { packageManager } = JSON.parse(read("package.json"));
    const used = read("Dockerfile").match(/pnpm@[\d.]+/g) ?? [];
    expect([...new Set(used)]).toEqual([packageManager.split("+")[0]]);
    const steps = parseDockerfile(read("Dockerfile"));
    const textOf = (name: string) => steps.find((step) => step.name === name)?.text;
    expect(textOf("EXPOSE")).toBe("3000 3001");
    expect(alone.services.bridge?.volumes).toEqual([`state:${textOf("VOLUME")}`]);
  });
});
