import { noNats, startNats } from "@ccbridge/cluster/testing";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../helpers/ports.js";
import { builtProgram, health, spawnBridge } from "../helpers/spawn-bridge.js";

const logImports = new URL("log-imports.mjs", import.meta.url).href;

it.skipIf(noNats !== undefined)(
  `nothing of NATS is loaded without CC_CLUSTER, and it warns of nothing with it${noNats ? ` (${noNats})` : ""}`,
  async () => {
    const start = async (more: Record<string, string>) => {
      const mcpPort = await freePort();
      const env = {
        ...{ MCP_PORT: String(mcpPort), CC_LINK_PORT: String(await freePort()) },
        ...{ CC_LINK_HOST: "127.0.0.1", CC_PAGES_PORT: "0" },
      };
      const command = [process.execPath, "--import", logImports, builtProgram()];
      const bridge = await spawnBridge([], { ...env, ...more }, command);
      return { bridge, facts: await health(`http://127.0.0.1:${mcpPort}/mcp`) };
    };
    const alone = await start({});
    expect(alone.facts.cluster).toBeUndefined();
    expect(alone.bridge.stderr()).not.toContain("loaded @nats-io");
    const nats = await startNats();
    onTestFinished(() => nats[Symbol.asyncDispose]());
    const member = await start({ CC_CLUSTER: nats.url });
    expect(member.facts.cluster).toMatchObject({ state: "joined", members: 1 });
    expect(member.bridge.stderr()).toContain("loaded @nats-io/transport-node");
    expect(member.bridge.stderr()).not.toMatch(/warning/i);
  },
);
