import { createServer, type Server, type Socket } from "node:net";
import type { LinkedKind } from "@ccbridge/bridge";
import { defineKind } from "@ccbridge/mcp-tools";
import {
  type Dialect,
  LinkError,
  LinkErrorCode,
  type ProviderRef,
  type Registry,
} from "@ccbridge/registry";
import { LampLink, MAX_LINE_BYTES } from "./lamp-link.js";
import { listLamps, switchLamp } from "./tools.js";

const MAX_LAMPS = 64;

function lampDialect(registry: Registry): Dialect {
  const linked = () => [...registry.sessions()].filter((session) => session instanceof LampLink);
  return {
    kind: "lamp",
    list: linked,
    find(ref: ProviderRef | undefined, sees = () => true) {
      const lamps = linked().filter(({ provider }) => sees(provider));
      const found = lamps.find(({ provider }) => provider.lampName === ref);
      if (found !== undefined) return found;
      const names = lamps.map(({ provider }) => provider.lampName).join(", ") || "none";
      throw new LinkError(LinkErrorCode.notLinked, `No such lamp is linked. Lamps: ${names}.`);
    },
    matches: (ref, { kind, name }) => kind === "lamp" && name === `lamp ${ref}`,
    close() {},
  };
}

function lampServer(registry: Registry): Server {
  const server = createServer((socket: Socket) => {
    const link = new LampLink(registry, socket);
    let unread = "";
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      const lines = (unread + text).split("\n");
      unread = lines.pop() ?? "";
      for (const line of lines) link.receive(line);
      if (unread.length > MAX_LINE_BYTES) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => link.closed("the connection ended"));
  });
  server.maxConnections = MAX_LAMPS;
  return server;
}

/** Lamps that dial in on a port of this machine. `onPort` gets the port, which matters for port 0. */
export function lampKind(port: number, onPort: (port: number) => void = () => {}): LinkedKind {
  return defineKind({
    name: "lamp",
    noun: "lamp",
    listedBy: listLamps.name,
    tools: { lamps: [listLamps, switchLamp] },
    selectorArguments: { name: "lamp" },
    instructions: () => "Lamps: list-lamps shows them, switch-lamp turns one on or off.",
    hint: (code) =>
      code === LinkErrorCode.notLinked
        ? "Call list-lamps to see which lamps are linked."
        : undefined,
    dialect: ({ registry }) => lampDialect(registry),
    async listen({ registry }) {
      const server = lampServer(registry);
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject).listen(port, "127.0.0.1", resolve);
      });
      const address = server.address();
      if (typeof address === "object" && address !== null) onPort(address.port);
      return { close: () => new Promise((resolve) => server.close(() => resolve())) };
    },
  });
}
