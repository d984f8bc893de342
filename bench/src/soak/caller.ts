import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { McpClient } from "../harness/mcp-client.js";

export interface Counts {
  calls: number;
  right: number;
  refused: number;
  /** The link dropped before the request ran; reported as lost. */
  dropped: number;
  broken: number;
  /** Ran, or may have run, without an answer although the bridge lived. */
  lost: number;
  crossed: number;
}

export interface CallerOptions {
  port: number;
  computers: number;
  counts: Counts;
  doubt(nonce: string): void;
  kills(): number;
  over(): boolean;
}

const RETRY_MS = 50;

export async function runCaller(options: CallerOptions): Promise<void> {
  let client: McpClient | undefined;
  while (!options.over()) {
    try {
      client ??= await McpClient.connect(options.port);
    } catch {
      await sleep(RETRY_MS);
      continue;
    }
    if (!(await callOnce(client, options))) client = undefined;
  }
  await client?.close().catch(() => {});
}

async function callOnce(client: McpClient, options: CallerOptions): Promise<boolean> {
  const { computers, counts, kills, doubt } = options;
  const computerId = Math.floor(Math.random() * computers);
  const nonce = JSON.stringify(randomUUID());
  const killsBefore = kills();
  counts.calls += 1;
  try {
    const args = { computerId, code: `return ${nonce}`, waitMs: 40_000 };
    const body = await client.call("exec-lua", args);
    const expected = `${computerId}:${nonce.slice(1, -1)}`;
    // JSON and Lua may each quote the nonce.
    if (body.replaceAll(/[\\"]/g, "").includes(expected)) counts.right += 1;
    else if (/still running|"state":"running"/.test(body)) counts.lost += 1;
    else counts.crossed += 1;
    return true;
  } catch (error) {
    const { message } = error as Error;
    if (/not linked|is away|was linked|never began/.test(message)) counts.refused += 1;
    else if (message.includes("came back without it")) doubt(nonce);
    else if (kills() > killsBefore || /ECONN|socket hang up|404|503/.test(message)) {
      counts.broken += 1;
      return false;
    } else {
      counts.lost += 1;
      process.stderr.write(`lost: ${message.slice(0, 300)}\n`);
    }
    return true;
  }
}
