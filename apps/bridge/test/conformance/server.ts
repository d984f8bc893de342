import type { AddressInfo } from "node:net";
import { createLocalPort, Registry } from "@ccbridge/registry";
import { onTestFinished } from "vitest";
import { Clients } from "../../src/access/clients.js";
import { defaultConfig, silentLogger } from "../../src/index.js";
import { createMcpListener } from "../../src/mcp/listener.js";
import { createServe } from "../../src/mcp/sdk/index.js";
import { PeerLog } from "../../src/peer-log.js";
import { fixturePrompts, fixtureResources, fixtureTools } from "./fixtures.js";

/** The bridge's own listener, transports and servers of both generations, with the fixtures of the suite. */
export async function startFixtureServer(): Promise<string> {
  const config = defaultConfig();
  const registry = new Registry(config);
  const log = silentLogger();
  const version = "1.2.3";
  const instructions = "";
  const providers = createLocalPort(registry, { returnWaitMs: 0 });
  const { app } = await createMcpListener({
    ...{ config, log, peerLog: new PeerLog(log), version, instructions },
    clients: new Clients([]),
    health: () => ({ open: {}, local: {} }),
    serve: createServe({
      ...{ version, instructions },
      tools: fixtureTools,
      resources: fixtureResources,
      prompts: fixturePrompts,
      view: () => ({ providers }),
      context: {
        providers,
        settings: {
          probeTimeoutMs: 1_000,
          execWaitMs: 1_000,
          cancelGraceMs: 1_000,
          structured: false,
          linkCommand: "",
        },
      },
    }),
  });
  onTestFinished(async () => {
    registry.close();
    await app.close();
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`;
}
