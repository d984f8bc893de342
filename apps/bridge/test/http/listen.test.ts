import Fastify from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { type Listener, listenAll, StartError } from "../../src/http/listen.js";
import { startTestBridge } from "../helpers/bridge.js";
import { foreignServer, freePort, isFree } from "../helpers/ports.js";

function listener(port: number, setting = "MCP_PORT", host = "127.0.0.1"): Listener {
  const app = Fastify();
  onTestFinished(() => app.close());
  return { app, host, port, setting };
}

async function failure(...listeners: Listener[]): Promise<StartError> {
  return listenAll(listeners).then(
    () => expect.unreachable("it listens"),
    (error) => error as StartError,
  );
}

function advice({ message }: StartError, flag = "--mcp-port"): number {
  return Number(new RegExp(`${flag} (\\d+)`).exec(message.split(": ").at(-1) ?? "")?.[1]);
}

describe("listenAll", () => {
  it("returns the actual ports", async () => {
    const ports = await listenAll([listener(0), listener(0, "CC_LINK_PORT")]);
    for (const port of ports) expect(await isFree(port)).toBe(false);
  });

  it("suggests a free port near the one in use", async () => {
    const { port } = await foreignServer("127.0.0.1", await freePort());
    const error = await failure(listener(port));
    expect(error).toBeInstanceOf(StartError);
    expect(error.code).toBe("EADDRINUSE");
    expect(error.message).toContain(texts.inUseByAnother);
    expect(advice(error)).toBeGreaterThan(port);
    expect(await isFree(advice(error))).toBe(true);
  });

  it("does not advise a port that the bridge wants for its other side", async () => {
    const { port } = await foreignServer("127.0.0.1", await freePort());
    const first = advice(await failure(listener(port)));
    const second = advice(await failure(listener(port), listener(first, "CC_LINK_PORT")));
    expect(second).toBeGreaterThan(first);
  });

  it("reports both ports at once, with an alternative for each", async () => {
    const mcp = await foreignServer("127.0.0.1", await freePort());
    const link = await foreignServer("127.0.0.1", await freePort());
    const error = await failure(listener(mcp.port), listener(link.port, "CC_LINK_PORT"));
    const [first = "", second = ""] = error.message.split("\n");
    expect(first).toContain(`Port ${mcp.port} on 127.0.0.1 (MCP_PORT, --mcp-port) is in use`);
    expect(second).toContain(`Port ${link.port} on 127.0.0.1 (CC_LINK_PORT, --cc-link-port)`);
    expect(error.code).toBe("EADDRINUSE");
  });

  it("reports that another bridge uses the ports, and how to run a second one", async () => {
    const { mcpPort, linkPort } = await startTestBridge();
    const error = await failure(listener(mcpPort), listener(linkPort, "CC_LINK_PORT"));
    expect(error.message).toContain(
      fill(texts.anotherCcbridgeVersionComputersLinked, mcpPort, linkPort),
    );
    expect(error.message).not.toContain("\n");
    const [mcp, link] = [advice(error), advice(error, "--cc-link-port")];
    expect(mcp).not.toBe(link);
    expect(await listenAll([listener(mcp), listener(link, "CC_LINK_PORT")])).toEqual([mcp, link]);
  });

  it("knows a bridge by its link port alone", async () => {
    const { linkPort } = await startTestBridge();
    const error = await failure(listener(0), listener(linkPort, "CC_LINK_PORT"));
    expect(error.message).toMatch(new RegExp(texts.anotherCcbridgeIsAlreadyRunning));
  });

  it("distinguishes a bridge from another program", async () => {
    const { mcpPort } = await startTestBridge();
    const { port } = await foreignServer("127.0.0.1", await freePort());
    const error = await failure(listener(mcpPort), listener(port, "CC_LINK_PORT"));
    expect(error.message.split("\n")).toEqual([
      expect.stringContaining(`has port ${mcpPort} (MCP_PORT)`),
      expect.stringContaining(`Port ${port} on 127.0.0.1 (CC_LINK_PORT, --cc-link-port) is in use`),
    ]);
  });

  it.each([
    ["does not answer", () => {}],
    ["answers without end", (response: import("node:http").ServerResponse) => pour(response)],
    ["answers other JSON", (response: import("node:http").ServerResponse) => response.end("[1]")],
  ])("does not take a program that %s for a bridge", async (_name, answer) => {
    const { port } = await foreignServer("127.0.0.1", await freePort(), (_, response) => {
      answer(response);
    });
    expect((await failure(listener(port))).message).toContain(texts.inUseByAnother);
  });

  it.each(["192.0.2.1", "no-such-host.invalid"])(
    "reports that %s is not an address of this machine",
    async (host) => {
      const error = await failure(listener(0, "MCP_PORT", host));
      expect(error.message).toBe(fill(texts.isNotAnAddressOfThis, host));
    },
  );
});

function pour(response: import("node:http").ServerResponse): void {
  response.on("error", () => {});
  const more = () => {
    while (!response.destroyed && response.write("x".repeat(4_096)));
  };
  response.on("drain", more);
  more();
}
