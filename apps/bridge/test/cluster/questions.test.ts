import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { noNats } from "@ccbridge/cluster/testing";
import { describe, expect, it } from "vitest";
import type { TestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { startCluster } from "./start-cluster.js";

const token = `kim-token-${"x".repeat(32)}`;
const code = "return 1";
const args = { computerId: 12, code };

describe.skipIf(noNats !== undefined)(
  `questions to clients of a cluster${noNats ? ` (${noNats})` : ""}`,
  () => {
    it("are answered through another bridge than the one that asked, once, and for that call only", async () => {
      const [a, b] = await start();
      const runs: number[] = [];
      const programs = { [code]: () => [{ type: "number", value: runs.push(1) }] };
      await linkComputer(a.linkUrl, { computerId: 12, programs });
      await expect.poll(async () => (await call(b, {})).result?.requestState).toBeDefined();
      const asked = await call(a, {});
      const answered = answersOf(asked);
      expect(runs).toEqual([]);

      const other = await call(b, answered, { ...args, code: "return 2" });
      expect(other.error?.message).toContain("belongs to another call");
      const changed = { ...answered, requestState: `${answered.requestState}x` };
      expect((await call(b, changed)).error).toBeDefined();
      expect(runs).toEqual([]);

      const done = await call(b, answered);
      expect(done.result?.isError).not.toBe(true);
      expect(runs).toEqual([1]);
      for (const bridge of [a, b, a]) {
        expect((await call(bridge, answered)).error?.message).toContain("was used already");
      }
      expect(runs).toEqual([1]);
    });

    it("are asked again when the bridge that asked is gone", async () => {
      const [a, b] = await start();
      await linkComputer(b.linkUrl, { computerId: 12, programs: { [code]: () => [] } });
      await expect.poll(async () => (await call(a, {})).result?.requestState).toBeDefined();
      const answered = answersOf(await call(a, {}));
      await a.close();
      await expect.poll(async () => (await call(b, answered)).error).toBeDefined();
      expect((await call(b, {})).result?.requestState).toBeDefined();
    });
  },
);

function start() {
  const settings = () => {
    const mcpTokensFile = join(scratchDirectory(), "tokens");
    writeFileSync(mcpTokensFile, `${token} name=kim mode=ask\n`);
    return { mcpTokensFile };
  };
  return startCluster(settings(), settings());
}

interface Answered {
  readonly requestState?: string;
  readonly inputResponses?: Record<string, unknown>;
}

interface Reply {
  readonly result?: {
    readonly isError?: boolean;
    readonly requestState?: string;
    readonly inputRequests?: Record<string, unknown>;
  };
  readonly error?: { readonly message: string };
}

function answersOf({ result }: Reply): Answered {
  const { requestState = "", inputRequests = {} } = result ?? {};
  const answer = { action: "accept", content: { answer: "call" } };
  const names = Object.keys(inputRequests);
  return { requestState, inputResponses: Object.fromEntries(names.map((name) => [name, answer])) };
}

async function call({ mcpUrl }: TestBridge, more: Answered, given: object = args): Promise<Reply> {
  const response = await fetch(mcpUrl, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/call",
      "Mcp-Name": "exec-lua",
      Authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "exec-lua",
        arguments: given,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "0" },
          "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
        },
        ...more,
      },
    }),
  });
  const text = await response.text();
  return JSON.parse(
    text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "{}"),
  ) as Reply;
}
