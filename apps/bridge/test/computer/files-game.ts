import { fileHash } from "@ccbridge/protocol";
import { expect } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { forComputer, linkGameComputer, startWorld } from "./helpers.js";

type Options = Parameters<typeof linkGameComputer>[2];

export async function game(options: Options = {}, time: "real" | "driven" = "real") {
  const bridge = await startTestBridge();
  const world = await startWorld({ time });
  const computer = await linkGameComputer(bridge, world, options);
  const client = await connectClient(bridge.mcpUrl);
  const call = async (name: string, args: object = {}) => {
    const result = await callTool(client, name, forComputer(name, args));
    return { ...result, data: (result.structuredContent ?? {}) as Record<string, unknown> };
  };
  /** The text of a call that must fail. */
  const refusal = async (name: string, args: object) => {
    const { isError, text } = await call(name, args);
    expect(isError, text).toBe(true);
    return text;
  };
  return { bridge, computer, client, call, refusal };
}

export const hashOf = (content: string | Uint8Array) => fileHash(Buffer.from(content));

export const leftovers = (computer: { fs: { list(path: string): string[] } }, folder = "/") =>
  computer.fs.list(folder).filter((name) => name.endsWith(".mcp-new"));
