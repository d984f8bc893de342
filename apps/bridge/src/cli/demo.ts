import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Bridge } from "../bridge.js";
import { type Config, defaultConfig } from "../config/settings.js";
import { StartError } from "../http/listen.js";

/** Beside the bridge in a clone. The published package has no demo: it would be twice its size. */
const program = fileURLToPath(new URL("../../demo/dist/program/demo/main.js", import.meta.url));

/**
 * A bridge that keeps nothing, and that only this machine reaches. Tokens, files and networks of the owner's own
 * bridge have no part in it.
 */
export function demoConfig(config: Config): Config {
  if (!existsSync(program)) {
    throw new StartError(
      "The demo is part of the clone: git clone https://github.com/ccbridge/ccbridge, then in that folder: node start --demo",
    );
  }
  const { mcpPort, linkPort, pagesPort, tools, structured, logLevel } = config;
  return {
    ...defaultConfig(),
    ...{ mcpPort, linkPort, pagesPort, tools, structured, logLevel },
    linkHost: "127.0.0.1",
    history: "memory",
    pairingFile: join(tmpdir(), `ccbridge-demo-${randomUUID()}.json`),
    minecraftTokens: [randomUUID()],
  };
}

/** Builds the base and replays a model, in a thread that ends with the process. */
export function startDemo(config: Config, { mcpPort, linkPort }: Bridge): Worker {
  return new Worker(program, {
    workerData: {
      mcpUrl: `http://127.0.0.1:${mcpPort}/mcp`,
      linkUrl: `ws://127.0.0.1:${linkPort}`,
      serverToken: config.minecraftTokens[0],
    },
  });
}
