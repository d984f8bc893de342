import Fastify from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen, StartError } from "../src/startup/listen.js";
import { foreignServer, freePort, isFree } from "./helpers/ports.js";

async function failure(host: string, port: number, avoid?: number[]): Promise<StartError> {
  const app = Fastify();
  onTestFinished(() => app.close());
  return listen(app, host, port, "MCP_PORT", avoid).then(
    () => expect.unreachable("it listens"),
    (error) => error as StartError,
  );
}

function advice({ message }: StartError): number {
  return Number(/--mcp-port (\d+)$/.exec(message)?.[1]);
}

describe("listen", () => {
  it("returns the port that was really taken", async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    const port = await listen(app, "127.0.0.1", 0, "MCP_PORT");
    expect(port).toBeGreaterThan(0);
    expect(await isFree(port)).toBe(false);
  });

  it("names a free port near the one that is taken", async () => {
    const { port } = await foreignServer("127.0.0.1", await freePort());
    const error = await failure("127.0.0.1", port);
    expect(error).toBeInstanceOf(StartError);
    expect(error.code).toBe("EADDRINUSE");
    expect(advice(error)).toBeGreaterThan(port);
    expect(await isFree(advice(error))).toBe(true);
  });

  it("does not advise a port that the bridge wants for its other side", async () => {
    const { port } = await foreignServer("127.0.0.1", await freePort());
    const first = advice(await failure("127.0.0.1", port));
    const second = advice(await failure("127.0.0.1", port, [first]));
    expect(second).toBeGreaterThan(first);
  });

  it.each(["192.0.2.1", "no-such-host.invalid"])("says that %s is not here", async (host) => {
    const error = await failure(host, 0);
    expect(error.message).toBe(
      `${host} is no address of this machine. Set MCP_HOST to one that is, or to 0.0.0.0 for all.`,
    );
  });
});
