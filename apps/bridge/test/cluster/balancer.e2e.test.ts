import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { noNats, startNats } from "@ccbridge/cluster/testing";
import { expect, it, onTestFinished } from "vitest";
import { bearer, connectSessionless } from "../calls/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { freePort } from "../helpers/ports.js";
import { missingProxy, startCaddy } from "../helpers/real-proxy.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

const missing = noNats ?? missingProxy("caddy");
const token = `owner-token-${"x".repeat(32)}`;
const code = "return 1";
const docs = readFileSync(new URL("../../../../docs/cluster.md", import.meta.url), "utf8");

it.skipIf(missing !== undefined)(
  `the load balancer of docs/cluster.md serves clients with and without sessions, also while a bridge stops${missing ? ` (${missing})` : ""}`,
  async () => {
    const nats = await startNats();
    onTestFinished(() => nats[Symbol.asyncDispose]());
    const start = () => {
      const mcpTokensFile = join(scratchDirectory(), "tokens");
      writeFileSync(mcpTokensFile, `${token} name=owner\n`);
      const cluster = [nats.url];
      const trustedProxies = ["127.0.0.1"];
      return startTestBridge({ cluster, mcpTokensFile, pairing: "off", trustedProxies });
    };
    const bridges = [await start(), await start(), await start()] as const;
    const ports = { mcp: await freePort(), link: await freePort() };
    const [block = ""] = /:3000 \{[\s\S]*?(?=```)/.exec(docs) ?? [];
    const [first, second, third] = bridges;
    const sites = [first, second, third].reduce(
      (text, { mcpPort, linkPort }, index) =>
        text
          .replace(`bridge${index + 1}:3000`, `127.0.0.1:${mcpPort}`)
          .replace(`bridge${index + 1}:3001`, `127.0.0.1:${linkPort}`),
      block.replace(":3000 {", `:${ports.mcp} {`).replace(":3001 {", `:${ports.link} {`),
    );
    expect(sites).not.toContain("bridge");
    await startCaddy(sites, ports.mcp);
    const programs = { [code]: () => [{ type: "number", value: 41 }] };
    await linkComputer(`ws://127.0.0.1:${ports.link}`, { computerId: 12, programs });
    const holder = bridges.find(({ registry }) => registry.size > 0);
    expect(holder).toBeDefined();

    const mcpUrl = `http://127.0.0.1:${ports.mcp}/mcp`;
    const sessionless = await connectSessionless({ ...first, mcpUrl }, token);
    const calls = async (count: number) => {
      for (let n = 0; n < count; n++) {
        const args = { computerId: 12, code };
        const answer = await sessionless.callTool({ name: "exec-lua", arguments: args });
        expect(JSON.stringify(answer)).toContain("41");
      }
    };
    for (const { mcpUrl: each } of bridges) {
      const client = await connectClient(each, bearer(token));
      await expect
        .poll(async () => (await callTool(client, "list-computers")).text)
        .toContain("12");
    }
    await calls(30);
    const withSession = await connectClient(mcpUrl, bearer(token));
    for (let n = 0; n < 10; n++) {
      expect((await callTool(withSession, "list-computers")).isError).not.toBe(true);
    }

    const stopping = bridges.find((bridge) => bridge !== holder)?.close();
    await calls(30);
    await stopping;
    await calls(30);
  },
);
