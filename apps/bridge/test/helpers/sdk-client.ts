import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { cleanEnv, program } from "./spawn-bridge.js";

/** The SDK's client over HTTP; it closes with the test. */
export async function httpClient(mcpUrl: string): Promise<Client> {
  const client = new Client({ name: "test", version: "0" });
  // Errors are the tests' own: each call that fails says so.
  client.onerror = () => {};
  onTestFinished(() => client.close());
  // exactOptionalPropertyTypes and the SDK's own types do not agree about sessionId.
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl)) as never);
  return client;
}

export interface StdioClient {
  client: Client;
  stderr(): string;
  /** Resolves with the log line that holds this text, past or to come. */
  logged(text: string): Promise<string>;
}

/** The SDK's client over stdio, which starts the built program; both end with the test. */
export async function stdioClient(
  env: Record<string, string>,
  args: string[] = [],
): Promise<StdioClient> {
  const client = new Client({ name: "test", version: "0" });
  onTestFinished(() => client.close());
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "--stdio", ...args],
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
      new Promise((resolve) => {
        const check = () => {
          const line = stderr.split("\n").find((candidate) => candidate.includes(text));
          if (line === undefined) return;
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
): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: args })) as CallToolResult;
}

/** The text of a tool's result. */
export function textOf(result: CallToolResult): string {
  return result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
