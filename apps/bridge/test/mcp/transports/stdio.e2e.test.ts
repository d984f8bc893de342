import { once } from "node:events";
import type { Run } from "@ccbridge/registry/testing";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../../vitest.texts.js";
import { endlessProgram, linkComputer } from "../../helpers/computer.js";
import { foreignServer, freePort, isFree } from "../../helpers/ports.js";
import { callTool, connectClient, stdioClient } from "../../helpers/sdk-client.js";
import {
  health,
  type SpawnedProgram,
  spawnBridge,
  spawnProgram,
} from "../../helpers/spawn-bridge.js";

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "0" },
  },
};
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };

async function sharedPorts() {
  const mcpPort = await freePort();
  const linkPort = await freePort();
  return {
    env: { MCP_PORT: String(mcpPort), CC_LINK_PORT: String(linkPort) },
    mcpPort,
    mcpUrl: `http://127.0.0.1:${mcpPort}/mcp`,
    linkUrl: `ws://127.0.0.1:${linkPort}`,
    linkPort,
  };
}

function send(run: SpawnedProgram, ...messages: object[]): void {
  run.child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
}

function answer(run: SpawnedProgram, id: number): Promise<Record<string, never>> {
  return run
    .line((line) => JSON.parse(line).id === id)
    .then((line) => JSON.parse(line) as Record<string, never>);
}

function toolCall(id: number, name: string, args: object = {}) {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}

describe("one client", () => {
  it("lists the tools, probes and runs Lua", async () => {
    const { env, linkUrl } = await sharedPorts();
    const { client } = await stdioClient(env);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["probe-computers", "list-computers", "exec-lua"]),
    );
    expect((await callTool(client, "probe-computers")).text).toBe("No computers connected.");
    await linkComputer(linkUrl, { computerId: 12, label: "base" });
    expect((await callTool(client, "probe-computers")).text).toBe("pong from 12 (Label: base)");
    const result = await callTool(client, "exec-lua", { computerId: 12, code: "1 + 1" });
    expect(result.isError ?? false).toBe(false);
    expect(result.text).toContain("2");
  });

  it("finds nothing but JSON-RPC on stdout, whatever is logged", async () => {
    const { env, linkUrl } = await sharedPorts();
    const run = spawnProgram(["--stdio"], { ...env, LOG_LEVEL: "trace" });
    send(run, initialize);
    await answer(run, 1);
    send(run, initialized);
    const { socket } = await linkComputer(linkUrl, { computerId: 4 });
    socket.send("this is no frame");
    run.child.stdin.write("this is no message\n");
    send(run, toolCall(2, "probe-computers"), { jsonrpc: "2.0", id: 3, method: "no/such" });
    await Promise.all([answer(run, 2), answer(run, 3)]);
    run.child.stdin.end();
    expect(await run.exited).toMatchObject({ code: 0 });
    for (const line of run.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
    expect(run.stderr()).toContain("computer linked");
    expect(run.stderr()).toContain(texts.badMessageFromThe);
  });

  it("gets answers to all it wrote when it closes stdin at once", async () => {
    const { env } = await sharedPorts();
    const run = spawnProgram(["--stdio"], env);
    send(run, initialize, initialized, { jsonrpc: "2.0", id: 2, method: "tools/list" });
    run.child.stdin.end();
    expect(await run.exited).toMatchObject({ code: 0 });
    expect(run.lines.map((line) => JSON.parse(line))).toMatchObject([
      { id: 1, result: { serverInfo: { name: "ccbridge" } } },
      { id: 2, result: { tools: expect.any(Array) } },
    ]);
  });

  it("learns at once that a method is unknown before it initializes", async () => {
    const { env } = await sharedPorts();
    const run = spawnProgram(["--stdio"], env);
    send(run, { jsonrpc: "2.0", id: 1, method: "server/discover", params: {} });
    expect(await answer(run, 1)).toMatchObject({ error: { code: -32_601 } });
  });

  it("receives progress and can cancel", async () => {
    const { env, linkUrl } = await sharedPorts();
    const { client, stderr } = await stdioClient(env);
    const { code, programs } = endlessProgram();
    const { fake } = await linkComputer(linkUrl, { computerId: 6, programs });
    const controller = new AbortController();
    const progress = new Promise<string | undefined>((resolve) => {
      const options = {
        signal: controller.signal,
        onprogress: ({ message }: { message?: string | undefined }) => resolve(message),
      };
      const params = { name: "exec-lua", arguments: { computerId: 6, code } };
      client.callTool(params, undefined, options).catch(() => {});
    });
    expect(await progress).toContain("digging");
    controller.abort();
    expect((await callTool(client, "probe-computers")).text).toContain("pong from 6");
    await expect.poll(() => fake.received.map(({ type }) => type)).toContain("cancel");
    expect(stderr()).not.toContain("message not delivered");
  });

  it("gets an error for a message that is too large, and continues", async () => {
    const { env } = await sharedPorts();
    const { client } = await stdioClient({ ...env, MCP_BODY_LIMIT_BYTES: "65536" });
    const code = "x".repeat(100_000);
    await expect(callTool(client, "exec-lua", { computerId: 1, code })).rejects.toThrow();
    expect((await callTool(client, "probe-computers")).text).toBe("No computers connected.");
  });

  it("ends the program and its bridge by closing stdin", async () => {
    const ports = await sharedPorts();
    const run = spawnProgram(["--stdio"], ports.env);
    send(run, initialize);
    await answer(run, 1);
    const { closed } = await linkComputer(ports.linkUrl, { computerId: 4 });
    run.child.stdin.end();
    expect(await run.exited).toMatchObject({ code: 0 });
    expect((await closed).code).toBe(1001);
    expect(await isFree(ports.mcpPort)).toBe(true);
    expect(await isFree(ports.linkPort, "0.0.0.0")).toBe(true);
  });

  it("ends the program and its bridge by going without a word", async () => {
    const ports = await sharedPorts();
    const run = spawnProgram(["--stdio"], ports.env);
    send(run, initialize);
    await answer(run, 1);
    const { closed } = await linkComputer(ports.linkUrl, { computerId: 4 });
    run.child.stdout.destroy();
    await once(run.child.stdout, "close");
    send(run, toolCall(2, "probe-computers"));
    expect(await run.exited).toMatchObject({ code: 0 });
    expect((await closed).code).toBe(1001);
    expect(run.stderr()).not.toContain("EPIPE");
  });

  it.each(["SIGINT", "SIGTERM"] as const)("has its open calls answered on %s", async (signal) => {
    const ports = await sharedPorts();
    const run = spawnProgram(["--stdio"], ports.env);
    send(run, initialize);
    await answer(run, 1);
    const { code, programs, running } = endlessProgram();
    const { closed } = await linkComputer(ports.linkUrl, { computerId: 4, programs });
    send(run, toolCall(2, "exec-lua", { computerId: 4, code }));
    await running;
    expect(await run.kill(signal)).toMatchObject({ code: 0 });
    expect(await answer(run, 2)).toMatchObject({ result: { isError: true } });
    expect((await closed).code).toBe(1001);
  });
});

describe("several clients", () => {
  it("share the bridge that runs, over stdio and over HTTP", async () => {
    const bridge = await spawnBridge();
    const env = { MCP_PORT: String(bridge.mcpPort), CC_LINK_PORT: String(bridge.linkPort) };
    const [first, second] = await Promise.all([stdioClient(env), stdioClient(env)]);
    const third = await connectClient(bridge.mcpUrl);
    await linkComputer(bridge.linkUrl, { computerId: 7 });
    for (const client of [first.client, second.client, third]) {
      expect((await callTool(client, "probe-computers")).text).toBe("pong from 7 (Label: null)");
    }
    expect(await health(bridge.mcpUrl)).toMatchObject({ computers: 1, sessions: 3 });
    await expect.poll(first.stderr).toContain(texts.usingTheBridgeThat);
    await first.client.close();
    expect((await callTool(second.client, "probe-computers")).text).toContain("pong from 7");
    expect(await health(bridge.mcpUrl)).toMatchObject({ computers: 1, sessions: 2 });
  });

  it("share one bridge when they start at the same moment", async () => {
    const { env, mcpUrl, linkUrl } = await sharedPorts();
    const started = await Promise.all([stdioClient(env), stdioClient(env), stdioClient(env)]);
    await linkComputer(linkUrl, { computerId: 8 });
    for (const { client } of started) {
      expect((await callTool(client, "probe-computers")).text).toBe("pong from 8 (Label: null)");
    }
    expect(await health(mcpUrl)).toMatchObject({ sessions: 3 });
    const owners = started.filter(({ stderr }) => stderr().includes('"bridge started"'));
    expect(owners).toHaveLength(1);
  });

  it("can end without ending the bridge that another one runs", async () => {
    const { env, mcpUrl } = await sharedPorts();
    const owner = await stdioClient(env);
    await owner.logged("bridge started");
    const guest = spawnProgram(["--stdio"], env);
    send(guest, initialize);
    await answer(guest, 1);
    expect(await health(mcpUrl)).toMatchObject({ sessions: 2 });
    guest.child.stdin.end();
    expect(await guest.exited).toMatchObject({ code: 0 });
    expect(await health(mcpUrl)).toMatchObject({ sessions: 1 });
    expect((await callTool(owner.client, "probe-computers")).text).toBe("No computers connected.");
  });

  it("need the token of the bridge that runs", async () => {
    const bridge = await spawnBridge([], { MCP_TOKENS: "hush" });
    const env = { MCP_PORT: String(bridge.mcpPort), CC_LINK_PORT: String(bridge.linkPort) };
    const { client } = await stdioClient({ ...env, MCP_TOKENS: "hush" });
    expect((await callTool(client, "probe-computers")).text).toBe("No computers connected.");
    await expect(stdioClient(env)).rejects.toThrow(/MCP_TOKENS/);
  });
});

describe("a port that another program holds", () => {
  it("is a clear error when it is the one for computers", async () => {
    const { env } = await sharedPorts();
    const holder = await foreignServer("0.0.0.0");
    const run = spawnProgram(["--stdio"], { ...env, CC_LINK_PORT: String(holder.port) });
    expect(await run.exited).toMatchObject({ code: 1 });
    expect(run.lines).toEqual([]);
    expect(run.stderr()).toContain(fill(texts.portOnCcLinkPort, holder.port));
  });

  it("is left alone when it is the MCP port: clients share a bridge on the next one", async () => {
    const ports = await sharedPorts();
    await foreignServer("127.0.0.1", ports.mcpPort);
    const first = await stdioClient(ports.env);
    const second = await stdioClient(ports.env);
    await linkComputer(ports.linkUrl, { computerId: 6 });
    for (const { client } of [first, second]) {
      expect((await callTool(client, "probe-computers")).text).toBe("pong from 6 (Label: null)");
    }
    await first.logged("the MCP port belongs to another program");
    await second.logged("using the bridge that already runs");
  });

  it("is used once a closing bridge has left it", async () => {
    const ports = await sharedPorts();
    let asked = 0;
    const leaving = await foreignServer("127.0.0.1", ports.mcpPort, (_, response) => {
      response.writeHead(503).end();
      asked += 1;
      if (asked === 2) {
        leaving.server.close();
        leaving.server.closeIdleConnections();
      }
    });
    const { client, stderr } = await stdioClient(ports.env);
    expect((await callTool(client, "probe-computers")).text).toBe("No computers connected.");
    expect(asked).toBe(2);
    await expect.poll(stderr).toContain("bridge started");
  });

  it("is not an error when it turns out to be a bridge that was just starting", async () => {
    const ports = await sharedPorts();
    let asked = 0;
    await foreignServer("127.0.0.1", ports.mcpPort, (_, response) => {
      asked += 1;
      const name = asked === 1 ? "not yet" : "ccbridge";
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ name }));
    });
    const run = spawnProgram(["--stdio"], ports.env);
    await expect.poll(run.stderr).toContain(texts.usingTheBridgeThatAlready);
    run.child.stdin.end();
    expect(await run.exited).toMatchObject({ code: 0 });
  });
});

describe("when the bridge behind it dies", () => {
  it("the next call runs on the bridge that took its place", async () => {
    const ports = await sharedPorts();
    const first = await spawnBridge([], ports.env);
    const { client, stderr } = await stdioClient(ports.env);
    expect((await callTool(client, "probe-computers")).text).toBe("No computers connected.");
    await first.kill("SIGKILL");
    await spawnBridge([], ports.env);
    await linkComputer(ports.linkUrl, { computerId: 9 });
    const [one, two] = await Promise.all([
      callTool(client, "probe-computers"),
      callTool(client, "exec-lua", { computerId: 9, code: "1 + 1" }),
    ]);
    expect(one.text).toBe("pong from 9 (Label: null)");
    expect(two.isError ?? false).toBe(false);
    expect(await health(ports.mcpUrl)).toMatchObject({ sessions: 1 });
    await expect.poll(stderr).toContain("looking for another");
  });

  it("what the client follows is followed on the bridge that took its place", async () => {
    const ports = await sharedPorts();
    const first = await spawnBridge([], ports.env);
    const { client } = await stdioClient(ports.env);
    const updated: string[] = [];
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      updated.push(params.uri);
    });
    await client.subscribeResource({ uri: "cc://computers" });
    await client.subscribeResource({ uri: "cc://computers/9" });
    await client.unsubscribeResource({ uri: "cc://computers/9" });
    await first.kill("SIGKILL");
    await spawnBridge([], ports.env);
    await callTool(client, "probe-computers");
    let computerId = 9;
    const isUpdated = async () => {
      await linkComputer(ports.linkUrl, { computerId: computerId++ });
      return updated.length > 0;
    };
    await expect.poll(isUpdated, { interval: 500 }).toBe(true);
    expect(new Set(updated)).toEqual(new Set(["cc://computers"]));
  });

  it("the next call makes the process a bridge if there is none", async () => {
    const ports = await sharedPorts();
    const first = await spawnBridge([], ports.env);
    const { client } = await stdioClient(ports.env);
    await client.listTools();
    await first.kill("SIGKILL");
    const results = await Promise.all([
      callTool(client, "probe-computers"),
      callTool(client, "probe-computers"),
      client.listTools(),
    ]);
    expect(results[0].text).toBe("No computers connected.");
    await linkComputer(ports.linkUrl, { computerId: 9 });
    expect((await callTool(client, "probe-computers")).text).toBe("pong from 9 (Label: null)");
    expect(await health(ports.mcpUrl)).toMatchObject({ sessions: 1, computers: 1 });
  });

  it("a call that was open gets an error and is never run again", async () => {
    const ports = await sharedPorts();
    const first = await spawnBridge([], ports.env);
    const { client } = await stdioClient(ports.env);
    const before = endlessProgram();
    let runs = 0;
    const programs = {
      [before.code]: (run: Run) => {
        runs += 1;
        return before.program(run);
      },
    };
    const linked = await linkComputer(ports.linkUrl, { computerId: 9, programs });
    const call = callTool(client, "exec-lua", { computerId: 9, code: before.code });
    await before.running;
    const failed = expect(call).rejects.toThrow(new RegExp(texts.brokeWhileOpenMayHave));
    await first.kill("SIGKILL");
    await failed;
    await linked.closed;
    await spawnBridge([], ports.env);
    const again = await linkComputer(ports.linkUrl, { computerId: 9, programs });
    expect((await callTool(client, "probe-computers")).text).toBe("pong from 9 (Label: null)");
    expect(again.fake.received.filter(({ type }) => type === "request")).toHaveLength(1);
    expect(runs).toBe(1);
  });

  it("a call whose answer was being streamed gets an error, too", async () => {
    const ports = await sharedPorts();
    const first = await spawnBridge([], ports.env);
    const { client } = await stdioClient(ports.env);
    const { code, programs } = endlessProgram();
    await linkComputer(ports.linkUrl, { computerId: 9, programs });
    let call: Promise<unknown> = Promise.resolve();
    await new Promise((resolve) => {
      const params = { name: "exec-lua", arguments: { computerId: 9, code } };
      call = client.callTool(params, undefined, { onprogress: resolve });
      call.catch(() => {});
    });
    await first.kill("SIGKILL");
    await expect(call).rejects.toThrow(new RegExp(texts.brokeWhileThisCall));
  });

  it("calls go on, on the next port, when another program took its port", async () => {
    const ports = await sharedPorts();
    const first = await spawnBridge([], ports.env);
    const { client } = await stdioClient(ports.env);
    await first.kill("SIGKILL");
    await foreignServer("127.0.0.1", ports.mcpPort);
    expect((await callTool(client, "probe-computers")).text).toBe("No computers connected.");
  });

  it("closing stdin still ends the program, even if the bridge only hangs", async () => {
    const bridge = await spawnBridge();
    const env = { MCP_PORT: String(bridge.mcpPort), CC_LINK_PORT: String(bridge.linkPort) };
    const run = spawnProgram(["--stdio"], env);
    send(run, initialize);
    await answer(run, 1);
    bridge.child.kill("SIGSTOP");
    send(run, toolCall(2, "probe-computers"));
    run.child.stdin.end();
    expect(await run.exited).toMatchObject({ code: 0 });
    expect(await answer(run, 2)).toMatchObject({ error: { message: expect.any(String) } });
  });
});
