// Starts one NATS server, three bridges and demo computers, and ends them with Ctrl+C.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { DemoComputer } from "./demo-computer.mjs";

const NATS_PORT = Number(process.env.NATS_PORT ?? 4242);
const FIRST_PORT = Number(process.env.FIRST_PORT ?? 3100);
const COMPUTERS = Number(process.env.COMPUTERS ?? 9);

const folder = mkdtempSync(join(tmpdir(), "ccbridge-cluster-"));
const program = fileURLToPath(import.meta.resolve("@ccbridge/bridge/main"));
const children = [];

function start(command, args, env = {}) {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  child.once("error", ({ message }) =>
    stop(`${command}: ${message}. Debian: apt-get install nats-server`),
  );
  return child;
}

let isOver = false;
function stop(reason) {
  if (isOver) return;
  isOver = true;
  console.log(reason);
  for (const child of children) child.kill("SIGTERM");
  setTimeout(() => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  }, 2_000);
}
process.once("SIGINT", () => stop("Stopping."));
process.once("SIGTERM", () => stop("Stopping."));

const said = (stream, text) =>
  new Promise((resolve) => {
    const lines = createInterface({ input: stream });
    lines.on("line", (line) => line.includes(text) && resolve(line));
  });

const nats = start("nats-server", [
  "-a",
  "127.0.0.1",
  "-p",
  String(NATS_PORT),
  "-js",
  "-sd",
  folder,
]);
nats.once("exit", (code) => stop(`nats-server ended with ${code}`));
await said(nats.stderr, "Server is ready");

const bridges = ["one", "two", "three"].map((name, index) => {
  const mcpPort = FIRST_PORT + 10 * index;
  const bridge = start(process.execPath, [program], {
    MCP_PORT: String(mcpPort),
    CC_LINK_PORT: String(mcpPort + 1),
    CC_LINK_HOST: "127.0.0.1",
    CC_PAGES_PORT: "0",
    CC_HISTORY: "memory",
    CC_CLUSTER: `nats://127.0.0.1:${NATS_PORT}`,
    CC_CLUSTER_NAME: name,
  });
  bridge.once("exit", () => isOver || console.log(`The bridge ${name} ended. The others go on.`));
  return {
    name,
    mcpUrl: `http://127.0.0.1:${mcpPort}/mcp`,
    linkUrl: `ws://127.0.0.1:${mcpPort + 1}`,
    ready: said(bridge.stdout, "bridge started"),
  };
});
await Promise.all(bridges.map(({ ready }) => ready));

const urls = bridges.map(({ linkUrl }) => linkUrl);
for (let id = 1; id <= COMPUTERS; id++) new DemoComputer(id, urls);

console.log(`A cluster of three bridges on nats://127.0.0.1:${NATS_PORT}, with ${COMPUTERS} demo computers.

${bridges.map(({ name, mcpUrl }) => `  ${name.padEnd(8)}${mcpUrl}   dashboard: ${mcpUrl.replace(/mcp$/, "")}`).join("\n")}

Connect a client to any of them: it sees all computers. Kill one of the bridges: its computers link to the others.
Press Ctrl+C to stop.`);
