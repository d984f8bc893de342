import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cpuMs } from "../harness/cpu.js";
import { McpClient } from "../harness/mcp-client.js";
import { interleave, type Measure, type Measured } from "../harness/measure.js";
import { freePort, type Server, startBridge, startComputers, stop } from "../harness/processes.js";
import { median, timeEach } from "../harness/stats.js";
import { code } from "../peers/frames.js";
import { IN_FLIGHT } from "./throughput.js";

/** Why these cannot run here; undefined when they can. */
export const noNats: string | undefined =
  spawnSync("nats-server", ["--version"]).error === undefined
    ? undefined
    : "nats-server is not installed (Debian: apt-get install nats-server)";

const COMPUTERS = 32;
const WARM_UP = 3_000;
const ROUNDS = 12;
const CALLS = 1_200;

interface Cluster {
  readonly bridges: readonly (Server & { readonly linkUrl: string })[];
  readonly natsPort: number;
  end(): Promise<void>;
}

/** Bridges of one cluster with their own NATS, where the computers are linked to the bridges in turn, or to the last. */
async function startCluster(count: number, linkTo: "each" | "last"): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "ccbridge-bench-"));
  const natsPort = await freePort();
  const args = ["-a", "127.0.0.1", "-p", String(natsPort), "-js", "-sd", folder];
  const nats = spawn("nats-server", args, { stdio: "ignore" });
  await listening(natsPort);
  const env = { CC_CLUSTER: `nats://127.0.0.1:${natsPort}` };
  const bridges: Awaited<ReturnType<typeof startBridge>>[] = [];
  for (let n = 0; n < count; n++) bridges.push(await startBridge(env));
  const peers: ChildProcess[] = [];
  const shares = linkTo === "each" ? bridges : bridges.slice(-1);
  const linked = linkTo === "each" ? COMPUTERS : 1;
  let from = 0;
  for (const [index, { linkUrl }] of shares.entries()) {
    const share = Math.floor((linked * (index + 1)) / shares.length) - from;
    peers.push(await startComputers(linkUrl, share, from));
    from += share;
  }
  for (const bridge of bridges) await sees(bridge, linked);
  return {
    bridges,
    natsPort,
    async end() {
      await stop(...peers, ...bridges.map(({ child }) => child), nats);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Until every computer answers through a bridge. */
async function sees(bridge: Server, computers: number): Promise<void> {
  const client = await McpClient.connect(bridge.port);
  for (let computerId = 0; computerId < computers; computerId++) {
    for (let tries = 0; ; tries++) {
      const isThere = await client.call("exec-lua", { computerId, code }).then(
        () => true,
        () => false,
      );
      if (isThere) break;
      if (tries === 200) throw new Error(`computer ${computerId} does not answer`);
      await sleep(50);
    }
  }
  await client.close();
}

/** Calls to all computers through all bridges in turn: of three bridges, two of three calls go to another one. */
async function callsPerSecond({ bridges }: Cluster, calls: number): Promise<Measured> {
  const clients = await Promise.all(bridges.map(({ port }) => McpClient.connect(port, IN_FLIGHT)));
  const cpu = () => bridges.reduce((sum, { child }) => sum + (cpuMs(child) ?? Number.NaN), 0);
  let started = 0;
  const worker = async (client: McpClient) => {
    while (started < calls) {
      const computerId = started++ % COMPUTERS;
      await client.call("exec-lua", { computerId, code });
    }
  };
  const cpuBefore = cpu();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, (_, index) => {
      const client = clients[index % clients.length];
      return client === undefined ? undefined : worker(client);
    }),
  );
  const value = (calls / (performance.now() - startedAt)) * 1_000;
  const cpuMicros = ((cpu() - cpuBefore) / calls) * 1_000;
  for (const client of clients) await client.close();
  return { value, cpuMicros };
}

function rate(id: string, count: number, atLeast: number): Measure {
  return {
    id,
    title: `exec-lua, ${IN_FLIGHT} in flight, ${COMPUTERS} computers, ${count} bridges against 1`,
    unit: "calls/s",
    bound: { atLeast },
    async run() {
      const [many, one] = [await startCluster(count, "each"), await startCluster(1, "each")];
      for (const cluster of [many, one]) await callsPerSecond(cluster, WARM_UP);
      const rounds = await interleave(ROUNDS, {
        bridge: () => callsPerSecond(many, CALLS),
        floor: () => callsPerSecond(one, CALLS),
      });
      await Promise.all([many.end(), one.end()]);
      return rounds;
    },
  };
}

// On a machine with as many cores as bridges they would share the work; here the bound is only that two and three
// bridges on the same cores do not do much less than one: what forwarding costs.
export const twoBridges = rate("l", 2, 0.5);
export const threeBridges = rate("m", 3, 0.4);

/** A call through a bridge that has the computer, and through one that has not, which may cost a round trip more. */
export const remoteCall: Measure = {
  id: "n",
  title: "exec-lua by another bridge, p50, against 2 x local + NATS round trip",
  unit: "ms",
  bound: { atMost: 0.95 },
  lives: 2,
  async run() {
    const cluster = await startCluster(2, "last");
    const [far, near] = cluster.bridges;
    if (far === undefined || near === undefined) throw new Error("no bridges");
    const args = { computerId: 0, code };
    const through = (server: Server) => (calls: number) =>
      McpClient.session(server.port, 1, (client) =>
        timeEach(calls, () => client.call("exec-lua", args)),
      );
    const echo = await natsRoundTrip(cluster.natsPort);
    const [viaFar, viaNear] = [through(far), through(near)];
    for (const via of [viaFar, viaNear, echo.calls]) await via(WARM_UP);
    const rounds = await interleave(30, {
      bridge: async () => ({ value: median(await viaFar(100)) }),
      floor: async () => ({
        value: 2 * median(await viaNear(100)) + median(await echo.calls(100)),
      }),
    });
    echo.close();
    await cluster.end();
    return rounds;
  },
};

/** A request and its reply over NATS, as bare bytes on two sockets: what the protocol itself takes. */
async function natsRoundTrip(port: number) {
  const asking = await natsSocket(port);
  const answering = await natsSocket(port);
  const body = "x".repeat(300);
  const message = (subject: string) => `PUB ${subject} ${body.length}\r\n${body}\r\n`;
  answering.onMessage = () => answering.write(message("bench.reply"));
  answering.write("SUB bench.ask 1\r\n");
  asking.write("SUB bench.reply 1\r\n");
  const call = () =>
    new Promise<void>((resolve) => {
      asking.onMessage = resolve;
      asking.write(message("bench.ask"));
    });
  await sleep(100);
  return {
    calls: (count: number) => timeEach(count, call),
    close() {
      asking.close();
      answering.close();
    },
  };
}

async function natsSocket(port: number) {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  const made = {
    onMessage: () => {},
    write: (text: string) => void socket.write(text),
    close: () => void socket.destroy(),
  };
  let rest = "";
  const ready = new Promise<void>((resolve) => {
    socket.on("data", (data) => {
      rest += data.toString("latin1");
      for (;;) {
        const end = rest.indexOf("\r\n");
        if (end === -1) return;
        const line = rest.slice(0, end);
        if (line.startsWith("MSG ")) {
          const length = Number(line.split(" ").at(-1));
          if (rest.length < end + 2 + length + 2) return;
          rest = rest.slice(end + 2 + length + 2);
          made.onMessage();
          continue;
        }
        rest = rest.slice(end + 2);
        if (line === "PING") socket.write("PONG\r\n");
        else if (line === "PONG") resolve();
      }
    });
  });
  socket.write('CONNECT {"verbose":false}\r\nPING\r\n');
  await ready;
  return made;
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => resolve(false));
    });
    if (isOpen) return;
    await sleep(20);
  }
}
