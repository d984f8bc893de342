import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PlacedComputer } from "@ccbridge/cc-host";
import type { Client as ModernClient } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished, vi } from "vitest";
import { bearer, connectSessionless } from "../calls/helpers.js";
import { placeComputer, startWorld } from "../computer/helpers.js";
import type { TestBridge } from "../helpers/bridge.js";
import { freePort } from "../helpers/ports.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool } from "../helpers/sdk-client.js";
import { health, type SpawnedBridge, spawnBridge, spawnProgram } from "../helpers/spawn-bridge.js";

export const QUOTA = 60;
export const RATE = 3;

type Facts = Record<string, unknown>;

interface Answer {
  readonly text: string;
  readonly facts: Facts;
}

/** A turtle that was approved once, and a bridge whose process can be killed. */
export interface CrashScene {
  readonly turtle: PlacedComputer;
  /** Calls a tool on the turtle. Rejects when the bridge is killed meanwhile. */
  owner(name: string, args?: Facts): Promise<Answer>;
  /** May run Lua only with the permission of a person, which is given once; has a quota. */
  kim(name: string, args?: Facts): Promise<Answer>;
  /** Has a rate. */
  ann(name: string, args?: Facts): Promise<Answer>;
  /** A client of 2026-07-28, which is never connected again. */
  modern(name: string, args?: Facts): Promise<Answer>;
  /** How often a person was asked for kim. */
  questions(): number;
  kill(): Promise<void>;
  start(): Promise<void>;
}

export async function startCrashScene(): Promise<CrashScene> {
  const folder = scratchDirectory();
  const tokens = `t-owner name=owner\nt-kim name=kim mode=ask quota=${QUOTA}/day\nt-ann name=ann rate=${RATE}/day\n`;
  writeFileSync(join(folder, "tokens"), tokens, { mode: 0o600 });
  const settings = {
    ...{ MCP_PORT: String(await freePort()), CC_LINK_PORT: String(await freePort()) },
    ...{ CC_HISTORY: "on", CC_HISTORY_FILE: join(folder, "history.db") },
    ...{ MCP_TOKENS_FILE: join(folder, "tokens"), MCP_STRUCTURED: "on" },
    ...{ CC_PAIRING: "on", HOME: folder, CC_MAX_JOBS: "3" },
  };
  let bridge: SpawnedBridge | undefined;
  let questions = 0;
  const clients = new Map<string, Client>();
  const urlOf = () => `http://127.0.0.1:${settings.MCP_PORT}/mcp`;

  const start = async () => {
    bridge = await spawnBridge([], settings);
    for (const name of ["owner", "kim", "ann"]) {
      clients.set(name, await connect(name));
    }
  };
  const connect = async (name: string) => {
    const capabilities = { elicitation: {} };
    const client = new Client({ name: "test", version: "0" }, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, () => {
      questions += 1;
      // For this tool on this turtle, for an hour.
      return { action: "accept", content: { answer: "tool" } };
    });
    client.onerror = () => {};
    onTestFinished(() => client.close());
    const requestInit = { headers: bearer(`t-${name}`) };
    await client.connect(new StreamableHTTPClientTransport(new URL(urlOf()), { requestInit }));
    return client;
  };
  const calling =
    (who: string) =>
    async (name: string, args: Facts = {}): Promise<Answer> => {
      const client = clients.get(who);
      if (client === undefined) throw new Error(`${who} is not connected`);
      const { text, structuredContent } = await callTool(client, name, args);
      return { text, facts: (structuredContent ?? {}) as Facts };
    };

  await start();
  const world = await startWorld();
  const turtle = await placeComputer(world, { kind: "turtle", label: "digger" });
  turtle.type(`mcp-computer ws://127.0.0.1:${settings.CC_LINK_PORT}\n`);
  await turtle.until(() => codeOn(turtle.screen.text()) !== undefined);
  const pair = spawnProgram(["pair", codeOn(turtle.screen.text()) ?? ""], settings);
  expect(await pair.exited).toMatchObject({ code: 0 });
  const linked = () =>
    vi.waitFor(async () => expect(await health(urlOf())).toMatchObject({ computers: 1 }), 60_000);
  await linked();
  const modern: ModernClient = await connectSessionless(
    { mcpUrl: urlOf() } as TestBridge,
    "t-owner",
  );
  return {
    ...{ turtle, questions: () => questions },
    ...{ owner: calling("owner"), kim: calling("kim"), ann: calling("ann") },
    async modern(name, args = {}) {
      const { content, structuredContent } = await modern.callTool({ name, arguments: args });
      const [first] = content as { text: string }[];
      return { text: first?.text ?? "", facts: (structuredContent ?? {}) as Facts };
    },
    async kill() {
      await bridge?.kill("SIGKILL");
    },
    async start() {
      await start();
      await linked();
    },
  };
}

function codeOn(text: string): string | undefined {
  return /\b[A-Z0-9]{3}-[A-Z0-9]{3}\b/.exec(text)?.[0];
}

/** Numbers from 0 to below 1 that a seed determines. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
