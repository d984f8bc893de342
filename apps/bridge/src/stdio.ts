import { type Bridge, startBridge } from "./bridge.js";
import type { Config } from "./config/settings.js";
import type { Logger } from "./logging.js";
import { asJsonRpc, httpClientTransport, type JSONRPCMessage, stdioTransport } from "./sdk.js";
import { localAddress, urlHost } from "./startup/addresses.js";
import { StartError } from "./startup/listen.js";
import { mcpUrl } from "./startup/report.js";

const HEALTH_TIMEOUT_MS = 1_000;

export interface StdioOptions {
  config: Config;
  log: Logger;
  version: string;
}

export interface StdioSession {
  /** Resolves when the client closed stdin. */
  ended: Promise<void>;
  close(): Promise<void>;
}

/**
 * Serves the MCP client on stdin and stdout. Always a thin proxy to a bridge on the MCP port: one that
 * already runs there, so that many clients share it, or else one that this process runs.
 */
export async function serveStdio({ config, log, version }: StdioOptions): Promise<StdioSession> {
  const { url, bridge } = await findOrStart({ config, log, version });
  const client = await stdioTransport();
  const upstream = await httpClientTransport(url, config.mcpTokens[0]);
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await upstream.terminateSession().catch(() => {});
    await upstream.close();
    await client.close();
    await bridge?.close();
  };

  client.onmessage = (message: JSONRPCMessage) => {
    upstream.send(message).catch((error: Error) => {
      if (closed) return;
      log.error({ err: error }, "the bridge did not take a message");
      const { id, method } = asJsonRpc(message);
      if (id === undefined || method === undefined) return;
      const text = `The bridge at ${url} did not answer: ${error.message}. Restart it, then restart this client's connection.`;
      const answer = { jsonrpc: "2.0" as const, id, error: { code: -32_000, message: text } };
      void client.send(answer);
    });
  };
  upstream.onmessage = (message: JSONRPCMessage) => {
    const { protocolVersion } =
      (message as { result?: { protocolVersion?: unknown } }).result ?? {};
    if (typeof protocolVersion === "string") upstream.setProtocolVersion(protocolVersion);
    void client.send(message);
  };
  upstream.onerror = (error) => log.warn({ err: error }, "connection to the bridge");
  client.onerror = (error) => log.warn({ err: error }, "bad message from the client");
  const ended = new Promise<void>((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
  });
  await upstream.start();
  await client.start();
  return { ended, close };
}

async function findOrStart(options: StdioOptions): Promise<{ url: string; bridge?: Bridge }> {
  const { config, log } = options;
  const url = mcpUrl(config, config.mcpPort);
  if (await isBridge(config)) {
    log.info({ url }, "using the bridge that already runs");
    return { url };
  }
  try {
    const bridge = await startBridge(options);
    log.info({ url, linkPort: bridge.linkPort }, "bridge started");
    return { url: mcpUrl(config, bridge.mcpPort), bridge };
  } catch (error) {
    // Another client may have started one at the same moment.
    const taken = error instanceof StartError && error.code === "EADDRINUSE";
    if (taken && (await isBridge(config))) return { url };
    throw error;
  }
}

/** Whether the program on the MCP port is a ccbridge. */
async function isBridge(config: Config): Promise<boolean> {
  const url = `http://${urlHost(localAddress(config.mcpHost))}:${config.mcpPort}/health`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    const health = (await response.json()) as { name?: unknown };
    return health.name === "ccbridge";
  } catch {
    return false;
  }
}
