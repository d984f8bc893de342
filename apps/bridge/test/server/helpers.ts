import type { Config } from "../../src/index.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { FakeMod, type FakeModOptions } from "./fake-mod.js";

export const token = "a-good-server-token";
export const otherToken = "another-good-token";

export interface ServerBridge extends TestBridge {
  serversUrl: string;
  dial(options?: Partial<FakeModOptions>): Promise<FakeMod>;
  /** Connects, and resolves when clients can see the server. */
  link(options?: Partial<FakeModOptions>): Promise<FakeMod>;
}

/** A bridge on which Minecraft servers may link. */
export async function startServerBridge(
  settings: Partial<Config> = {},
  log?: Parameters<typeof startTestBridge>[1],
): Promise<ServerBridge> {
  const bridge = await startTestBridge({ minecraftTokens: [token, otherToken], ...settings }, log);
  const serversUrl = `${bridge.linkUrl}/minecraft`;
  const dial = (options: Partial<FakeModOptions> = {}) =>
    FakeMod.dial({ url: serversUrl, token, ...options });
  const link = async (options: Partial<FakeModOptions> = {}) => {
    const linked = new Promise<void>((resolve) => {
      const stop = bridge.registry.changes.subscribe(({ topic }) => {
        if (topic !== "linked") return;
        stop();
        resolve();
      });
    });
    const mod = await dial({ hello: {}, ...options });
    await linked;
    return mod;
  };
  return { ...bridge, serversUrl, dial, link };
}

export async function connect(bridge: TestBridge, token = "") {
  const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
  const client = await connectClient(bridge.mcpUrl, headers);
  return { client, call: (name: string, args: object = {}) => callTool(client, name, { ...args }) };
}
