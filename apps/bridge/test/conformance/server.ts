import type { AddressInfo } from "node:net";
import { defineTool, Kinds, type Tool } from "@ccbridge/mcp-tools";
import { Computers, createLocalPort, Registry } from "@ccbridge/registry";
import { connectInMemory, FakeComputer } from "@ccbridge/registry/testing";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { Clients } from "../../src/auth/clients.js";
import { Approvals } from "../../src/calls/approvals.js";
import { Audit } from "../../src/calls/audit/audit.js";
import { Permissions } from "../../src/calls/permissions.js";
import { Pipeline } from "../../src/calls/pipeline.js";
import { Rates } from "../../src/calls/rates.js";
import { defaultConfig, silentLogger } from "../../src/index.js";
import { createServices } from "../../src/mcp/handlers/session.js";
import { createMcpListener } from "../../src/mcp/listener.js";
import { PeerLog } from "../../src/monitor/peer-log.js";
import { fixturePrompts, fixtureResources, fixtureTools } from "./fixtures.js";
import { fixtureEntry } from "./schemas.js";

export async function startFixtureServer(): Promise<string> {
  const config = defaultConfig();
  const registry = new Registry(config);
  const log = silentLogger();
  const version = "1.2.3";
  const providers = createLocalPort(registry, { returnWaitMs: 0 });
  const pipeline = new Pipeline({
    audit: new Audit({ log }),
    approvals: new Approvals(),
    permissions: new Permissions(),
    rates: new Rates(),
    settings: { values: { readOnly: false } },
  });
  const { app } = await createMcpListener({
    ...{ config, peerLog: new PeerLog(log) },
    clients: new Clients([]),
    health: () => ({ open: {}, local: {} }),
    services: createServices({
      ...{ version, instructions: "", hasApps: false, pipeline, providers },
      tools: [...fixtureTools, triggerToolChange(registry, version)],
      resources: fixtureResources,
      prompts: fixturePrompts,
      toEntry: fixtureEntry,
      contextOf: () => ({}),
      context: {
        settings: {
          probeTimeoutMs: 1_000,
          execWaitMs: 1_000,
          cancelGraceMs: 1_000,
          structured: false,
          linkCommand: "",
          kinds: new Kinds([]),
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

function triggerToolChange(registry: Registry, version: string): Tool {
  const computers = new Computers(registry, { bridge: { name: "ccbridge", version } });
  const fake: FakeComputer = new FakeComputer({ computerId: 1, send: (text) => end.send(text) });
  const end = connectInMemory(computers, { receive: (text) => fake.receive(text) });
  fake.sayHello();
  let changes = 0;
  return defineTool({
    ...{ name: "test_trigger_tool_change", title: "Another tool" },
    description: "Has a computer offer another tool than before.",
    input: z.object({}),
    async handler() {
      changes += 1;
      const offered = { name: `test_offered_${changes}`, description: "Does nothing." };
      fake.send({ type: "tools", tools: [{ ...offered, inputSchema: {} }] });
      return { text: `${offered.name} is offered now.` };
    },
  });
}
