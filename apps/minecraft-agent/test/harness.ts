import { join } from "node:path";
import { FakeBridge } from "@ccbridge/server-contract";
import { onTestFinished } from "vitest";
import { Agent, type AgentOptions } from "../src/agent.js";
import { Logger } from "../src/logging.js";
import { FakeServer } from "./fake-server/index.js";
import type { Layout } from "./fake-server/log.js";

const quick = {
  rconTimeoutMs: 60_000,
  retryFirstMs: 10,
  retryMaxMs: 50,
  wrongPasswordMs: 50,
  logPollMs: 5,
  measureMs: 50,
  configPollMs: 20,
  linkRefusedMs: 30,
  linkRetry: { firstMs: 1, maxMs: 2 },
};

export const token = "a-good-token";

export interface Scene {
  server: FakeServer;
  bridge: FakeBridge;
  agent: Agent;
  lines: string[];
}

export function createAgent(
  server: FakeServer,
  bridge: FakeBridge,
  options: Partial<AgentOptions> = {},
): { agent: Agent; lines: string[] } {
  const lines: string[] = [];
  const agent = new Agent({
    folder: server.folder,
    configPath: join(server.folder, "minecraft-mcp-bridge.toml"),
    overrides: { url: bridge.url, token },
    log: new Logger({ write: (line) => lines.push(line), level: "INFO" }),
    times: quick,
    ...options,
  });
  return { agent, lines };
}

export async function startScene(
  options: Partial<AgentOptions> & {
    layout?: Layout;
    timeoutMs?: number;
    prepare?(server: FakeServer): void;
  } = {},
): Promise<Scene> {
  const { layout, timeoutMs, prepare, ...more } = options;
  const server = await FakeServer.start(layout);
  prepare?.(server);
  const bridge = await FakeBridge.start();
  bridge.timeoutMs = timeoutMs;
  const { agent, lines } = createAgent(server, bridge, more);
  onTestFinished(async () => {
    await agent.stop();
    await Promise.all([server.stop(), bridge.close()]);
  });
  await agent.start();
  await bridge.until(() => bridge.hellos.length > 0);
  return { server, bridge, agent, lines };
}
