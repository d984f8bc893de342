import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultConfig, silentLogger, startBridge } from "@ccbridge/bridge";
import { DASHBOARD_PATH, type TopicData } from "@ccbridge/protocol/dashboard";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { texts } from "../../../vitest.texts.js";
import { lampKind } from "../src/lamps.js";
import { status } from "../src/status.js";

async function start(tokens: string) {
  const scratch = mkdtempSync(join(tmpdir(), "ccbridge-lamps-"));
  const mcpTokensFile = join(scratch, "tokens");
  writeFileSync(mcpTokensFile, tokens);
  let lampPort = 0;
  const bridge = await startBridge({
    config: {
      ...defaultConfig(),
      ...{ mcpPort: 0, linkHost: "127.0.0.1", linkPort: 0, returnWaitMs: 0 },
      ...{ mcpTokensFile, pairingFile: join(scratch, "paired.json") },
    },
    log: silentLogger(),
    version: "0.0.0",
    dashboard: { folder: scratch, command: ["node", "ccbridge"], ownCommand: "ccbridge" },
    kinds: [lampKind(0, (port) => (lampPort = port))],
    tools: [status],
  });
  onTestFinished(async () => {
    await bridge.close();
    rmSync(scratch, { recursive: true });
  });
  return { bridge, lampPort };
}

async function plugIn(port: number, name: string) {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  onTestFinished(() => void socket.destroy());
  const lamp = { isOn: false, breaks: false, socket };
  await new Promise<void>((resolve) => {
    socket.on("data", (text: string) => {
      for (const line of text.trim().split("\n")) {
        const [id, wanted] = line.split(" ");
        if (line === "welcome") resolve();
        else if (line === "ping") socket.write("pong\n");
        else if (lamp.breaks) socket.write(`${id} failed the bulb broke\n`);
        else {
          lamp.isOn = wanted === "on";
          socket.write(`${id} ok\n`);
        }
      }
    });
    socket.write(`lamp ${name}\n`);
  });
  return lamp;
}

async function connectClient(port: number, token: string, answer?: object) {
  const client = new Client(
    { name: "test", version: "0" },
    { capabilities: answer === undefined ? {} : { elicitation: {} } },
  );
  const questions: string[] = [];
  if (answer !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params.message);
      return answer as { action: "decline" };
    });
  }
  onTestFinished(() => client.close());
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const [first] = content as { text: string }[];
    return { text: first?.text, isError: isError === true };
  };
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  return { client, call, names, questions };
}

describe("lamps, a kind from outside", () => {
  it("are listed, switched and recorded like any provider", async () => {
    const { bridge, lampPort } = await start("t-ann name=ann\n");
    const lamp = await plugIn(lampPort, "desk");
    const { client, call, names } = await connectClient(bridge.mcpPort, "t-ann");
    expect(await names()).toEqual(
      expect.arrayContaining(["list-computers", "list-lamps", "switch-lamp", "bridge-status"]),
    );
    expect(client.getInstructions()).toContain("switch-lamp turns one on or off");
    expect((await call("list-lamps")).text).toBe("lamp desk");
    expect(await call("switch-lamp", { lamp: "desk", on: true })).toEqual({
      text: "lamp desk is on.",
      isError: false,
    });
    expect(lamp.isOn).toBe(true);
    expect((await call("bridge-status")).text).toBe("1 provider is linked.");
    const [record] = bridge.audit.trail
      .recent()
      .filter(({ tool }: { tool: string }) => tool === "switch-lamp");
    expect(record).toMatchObject({ client: "ann", outcome: "ok", providers: ["lamp desk"] });
  });

  it("have a row on the dashboard and a count in /health", async () => {
    const { bridge, lampPort } = await start("t-ann name=ann\n");
    await plugIn(lampPort, "desk");
    const host = `127.0.0.1:${bridge.mcpPort}`;
    const page = new WebSocket(`ws://${host}${DASHBOARD_PATH}`, { origin: `http://${host}` });
    onTestFinished(() => page.terminate());
    const rows = await new Promise<TopicData<"fleet">["rows"]>((resolve, reject) => {
      page.on("error", reject).on("open", () => {
        page.send(JSON.stringify({ type: "hello", token: "t-ann" }));
        page.send(JSON.stringify({ type: "watch", watch: 1, topic: "fleet", params: {} }));
      });
      page.on("message", (text) => {
        const message = JSON.parse(String(text));
        if (message.type === "data") resolve(message.data.rows);
        if (message.type === "failed") reject(new Error(message.error));
      });
    });
    expect(rows).toMatchObject([{ kind: "lamp", label: "desk", state: "live" }]);
    expect(await (await fetch(`http://${host}/health`)).json()).toMatchObject({
      ...{ lamps: 1, computers: 0, pages: 0, servers: 0 },
    });
  });

  it("fail with hints of their own", async () => {
    const { bridge, lampPort } = await start("t-ann name=ann\n");
    const lamp = await plugIn(lampPort, "desk");
    const { call } = await connectClient(bridge.mcpPort, "t-ann");
    expect(await call("switch-lamp", { lamp: "attic", on: true })).toEqual({
      text: texts.noSuchLampIsLinked,
      isError: true,
    });
    lamp.breaks = true;
    expect(await call("switch-lamp", { lamp: "desk", on: true })).toEqual({
      text: texts.lampDeskDidNotSwitch,
      isError: true,
    });
    lamp.socket.destroy();
    await vi.waitFor(async () =>
      expect((await call("list-lamps")).text).toBe("No lamp is linked."),
    );
  });

  it("are under the rights of a client, and a person is asked first", async () => {
    const { bridge, lampPort } = await start(
      "t-look name=kim mode=look tools=kind:lamp computers=kind:lamp\nt-none name=leo tools=core computers=1\nt-ask name=sam mode=ask\n",
    );
    const lamp = await plugIn(lampPort, "desk");
    const looking = await connectClient(bridge.mcpPort, "t-look");
    expect(await looking.names()).toEqual(["list-lamps"]);
    expect((await looking.call("list-lamps")).text).toBe("lamp desk");
    const other = await connectClient(bridge.mcpPort, "t-none");
    expect((await other.call("list-lamps")).isError).toBe(true);
    for (const { call } of [looking, other]) {
      expect((await call("switch-lamp", { lamp: "desk", on: true })).isError).toBe(true);
    }
    const { call, questions } = await connectClient(bridge.mcpPort, "t-ask", { action: "decline" });
    expect((await call("switch-lamp", { lamp: "desk", on: true })).isError).toBe(true);
    expect(questions[0]).toContain("lamp desk");
    expect(lamp.isOn).toBe(false);
  });
});

it("docs/extending.md shows the code of this example", () => {
  const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const document = readFileSync(at("../../../docs/extending.md"), "utf8");
  const sources = readdirSync(at("../src")).map((name) =>
    readFileSync(at(`../src/${name}`), "utf8"),
  );
  const blocks = [...document.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);
  expect(blocks.length).toBeGreaterThan(3);
  for (const code of blocks) {
    const isShown = sources.some((source) => source.includes(code));
    expect(isShown, `not in examples/kind/src:\n${code}`).toBe(true);
  }
});
