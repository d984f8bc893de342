import { fileURLToPath } from "node:url";
import { noNats } from "@ccbridge/cluster/testing";
import { expect, it } from "vitest";
import { freePort } from "../helpers/ports.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { health, spawnProgram } from "../helpers/spawn-bridge.js";

const start = fileURLToPath(new URL("../../../../examples/cluster/start.mjs", import.meta.url));

it.skipIf(noNats !== undefined)(
  `one command starts three bridges, NATS and demo computers, and one ends them${noNats ? ` (${noNats})` : ""}`,
  async () => {
    // It takes ports in steps of ten.
    const [nats, first] = [await freePort(), 20_000 + 100 * Math.floor(Math.random() * 200)];
    const env = { NATS_PORT: String(nats), FIRST_PORT: String(first), COMPUTERS: "6" };
    const example = spawnProgram([], env, [process.execPath, start]);
    await example.line((line) => line.includes("Press Ctrl+C to stop."));
    const urls = [0, 10, 20].map((step) => `http://127.0.0.1:${first + step}/mcp`);
    for (const url of urls) {
      expect(example.lines.join("\n")).toContain(url);
      const client = await connectClient(url);
      for (let id = 1; id <= 6; id++) {
        await expect
          .poll(
            async () => (await callTool(client, "exec-lua", { computerId: id, code: "hi" })).text,
            {
              timeout: 20_000,
            },
          )
          .toContain(`demo computer ${id} got: hi`);
      }
      await client.close();
    }
    const shares = async () => {
      const { cluster } = await health(urls[0] ?? "");
      return (cluster as { bridges: { providers: number }[] }).bridges.map(
        ({ providers }) => providers,
      );
    };
    await expect
      .poll(async () => (await shares()).reduce((sum, share) => sum + share, 0), {
        timeout: 10_000,
      })
      .toBe(6);
    expect(await shares()).toHaveLength(3);
    expect(await example.kill("SIGINT")).toEqual({ code: 0, signal: null });
    for (const url of urls) await expect(health(url)).rejects.toThrow();
  },
);
