import { setMaxListeners } from "node:events";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { builtProgram, cleanEnv, LINE_DEADLINE_MS } from "./spawn-bridge.js";

export async function connectClient(
  url: string,
  headers: Record<string, string> = {},
): Promise<Client> {
  const client = new Client({ name: "test", version: "0" });
  client.onerror = () => {};
  onTestFinished(() => client.close());
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers },
      fetch: quietFetch,
    }),
  );
  return client;
}

/** Avoids Node's warning about more than 1,500 listeners: all requests of a client share one signal. */
const quietFetch: typeof fetch = (input, init) => {
  if (init?.signal) setMaxListeners(0, init.signal);
  return fetch(input, init);
};

export interface StdioClient {
  client: Client;
  stderr(): string;
  logged(text: string): Promise<string>;
}

export async function stdioClient(
  env: Record<string, string>,
  args: string[] = [],
): Promise<StdioClient> {
  const client = new Client({ name: "test", version: "0" });
  onTestFinished(() => client.close());
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [builtProgram(), "--stdio", ...args],
    env: cleanEnv(env),
    stderr: "pipe",
  });
  let stderr = "";
  const waiting = new Set<() => void>();
  transport.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
    for (const check of waiting) check();
  });
  await client.connect(transport);
  return {
    client,
    stderr: () => stderr,
    logged: (text) =>
      new Promise((resolve, reject) => {
        const fail = () => reject(new Error(`not logged: ${text}\n${stderr}`));
        const late = setTimeout(fail, LINE_DEADLINE_MS);
        const check = () => {
          const line = stderr.split("\n").find((candidate) => candidate.includes(text));
          if (line === undefined) return;
          clearTimeout(late);
          waiting.delete(check);
          resolve(line);
        };
        waiting.add(check);
        check();
      }),
  };
}

export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  options: Parameters<Client["callTool"]>[2] = {},
) {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  const { content, structuredContent, isError } = result as CallToolResult;
  const [first] = content;
  return { text: first?.type === "text" ? first.text : "", structuredContent, isError };
}
