import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createLocalPort, Registry } from "@ccbridge/registry";
import { describe, expect, it, onTestFinished } from "vitest";
import { Clients } from "../../src/access/clients.js";
import { defaultConfig, silentLogger } from "../../src/index.js";
import { createMcpListener } from "../../src/mcp/listener.js";
import { createServe } from "../../src/mcp/sdk/index.js";
import { PeerLog } from "../../src/peer-log.js";
import { fixturePrompts, fixtureResources, fixtureTools } from "./fixtures.js";

const SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
/** The suite needs a Node that this repository does not ask for. */
const hasNewNode = Number(process.versions.node.split(".")[0]) >= 22;

/** The bridge's own listener, transports and servers of both generations, with the fixtures of the suite. */
async function startFixtureServer(): Promise<string> {
  const config = defaultConfig();
  const registry = new Registry(config);
  const log = silentLogger();
  const version = "1.2.3";
  const instructions = "";
  const providers = createLocalPort(registry, { returnWaitMs: 0 });
  const { app } = await createMcpListener({
    ...{ config, log, peerLog: new PeerLog(log), version, instructions },
    clients: new Clients([]),
    health: () => ({ open: {}, local: {} }),
    serve: createServe({
      ...{ version, instructions },
      tools: fixtureTools,
      resources: fixtureResources,
      prompts: fixturePrompts,
      view: () => ({ providers }),
      context: {
        providers,
        settings: {
          probeTimeoutMs: 1_000,
          execWaitMs: 1_000,
          cancelGraceMs: 1_000,
          structured: false,
          linkCommand: "",
        },
      },
    }),
  });
  onTestFinished(async () => {
    registry.close();
    await app.close();
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`;
}

/** Runs the suite with what a revision of MCP requires; its program is fetched by npx. */
async function runSuite(url: string, revision: string) {
  const baseline = fileURLToPath(new URL(`expected-failures.${revision}.yml`, import.meta.url));
  const node = hasNewNode ? [] : ["-p", "node@22"];
  const child = spawn("npx", [
    ...["-y", ...node, "-p", SUITE, "conformance", "server", "--url", url],
    ...["--requirements", revision, "--expected-failures", baseline],
  ]);
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { code, output: `${output}${errors}` };
}

// Opt-in, since it fetches a program: `pnpm test:conformance`.
describe.runIf(process.env.MCP_CONFORMANCE === "1")("the official conformance suite", () => {
  it.each(["2025-11-25", "2026-07-28"])(
    "finds in %s nothing but what is expected",
    async (revision) => {
      const { code, output } = await runSuite(await startFixtureServer(), revision);
      const summary = output.slice(output.indexOf("SUMMARY"));
      process.stdout.write(`${revision}\n${summary}`);
      expect(code, output).toBe(0);
      expect(summary).toMatch(/^Total: \d+ passed/m);
    },
    300_000,
  );
});
