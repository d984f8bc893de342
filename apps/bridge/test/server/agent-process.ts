import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { FakeServer } from "../../../minecraft-agent/test/fake-server/index.js";
import { type SpawnedProgram, spawnProgram } from "../helpers/spawn-bridge.js";
import { token } from "./helpers.js";

export const agentProgram = fileURLToPath(
  new URL("../../../minecraft-agent/bin/ccbridge-minecraft-agent.js", import.meta.url),
);

export async function startGame(): Promise<FakeServer> {
  const server = await FakeServer.start();
  onTestFinished(() => server.stop());
  return server;
}

export function configure(game: FakeServer, toml = ""): void {
  const text = `[bridge]\nreconnect_delay = 100\n${toml}`;
  writeFileSync(join(game.folder, "minecraft-mcp-bridge.toml"), text);
}

/** The built agent next to a server, as its owner would start it. */
export function spawnAgent(
  game: FakeServer,
  url: string,
  { command = [process.execPath, agentProgram], authToken = token } = {},
): SpawnedProgram {
  if (!existsSync(agentProgram))
    throw new Error(`${agentProgram} is missing: run \`pnpm build\` first`);
  return spawnProgram([game.folder], { AUTH_TOKEN: authToken, BRIDGE_URL: url }, command);
}
