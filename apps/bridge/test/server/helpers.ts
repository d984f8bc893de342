import type { Config } from "../../src/index.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { FakeMod, type FakeModOptions } from "./fake-mod.js";

export const token = "a-good-server-token";
export const otherToken = "another-good-token";

export interface ServerBridge extends TestBridge {
  serversUrl: string;
  dial(options?: Partial<FakeModOptions>): Promise<FakeMod>;
  link(options?: Partial<FakeModOptions>): Promise<FakeMod>;
}

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

type Call = (name: string, args: object) => ReturnType<typeof callTool>;

interface Page {
  events: { event: string; data: Record<string, unknown>; server: string }[];
  cursor: number;
}

export async function eventsOf(call: Call, count: number): Promise<Page["events"]> {
  const events: Page["events"] = [];
  for (let cursor = 0; events.length < count; ) {
    await call("wait-for-server-event", { server: "minecraft", cursor, waitMs: 20_000 });
    const range = { server: "minecraft", cursor, limit: 100 };
    const { structuredContent } = await call("get-server-events", range);
    const page = structuredContent as unknown as Page;
    events.push(...page.events);
    cursor = page.cursor;
  }
  return events;
}
