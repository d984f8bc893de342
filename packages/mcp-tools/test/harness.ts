import { Computers, createLocalPort, Registry, type RegistryLimits } from "@ccbridge/registry";
import {
  connectInMemory,
  FakeComputer,
  type FakeComputerOptions,
} from "@ccbridge/registry/testing";
import { onTestFinished } from "vitest";
import {
  builtInKinds,
  type CallResult,
  Kinds,
  OfferedCatalog,
  type ReadContext,
  readableResource,
  runTool,
  type ToolContext,
  type ToolSettings,
  tools,
} from "../src/index.js";

export const settings: ToolSettings = {
  probeTimeoutMs: 50,
  execWaitMs: 1_000,
  cancelGraceMs: 100,
  structured: true,
  linkCommand: "mcp-computer ws://bridge:3001",
  kinds: new Kinds(builtInKinds),
};

export class TestRegistry extends Registry {
  readonly computers = new Computers(this, { bridge: { name: "test", version: "0" } });
}

/** Closed when the test ends: its heartbeat would go on. */
export function createRegistry(options: Partial<RegistryLimits> = {}): TestRegistry {
  const registry = new TestRegistry({ cancelGraceMs: settings.cancelGraceMs, ...options });
  onTestFinished(() => registry.close());
  return registry;
}

export function lookAt(registry: TestRegistry) {
  const providers = createLocalPort(registry);
  const reserved = tools.map(({ name }) => name);
  return { providers, settings, offered: new OfferedCatalog(providers, reserved, settings.kinds) };
}

export function link(registry: TestRegistry, options: Omit<FakeComputerOptions, "send">) {
  const fake: FakeComputer = new FakeComputer({ ...options, send: (text) => end.send(text) });
  const end = connectInMemory(registry.computers, { receive: (text) => fake.receive(text) });
  fake.sayHello();
  return { fake, end };
}

export function linkRaw(
  registry: TestRegistry,
  hello: object,
  respond: (
    request: { id: string; method: string },
    send: (frame: object) => void,
  ) => void = () => {},
) {
  const end = connectInMemory(registry.computers, {
    receive: (text) => {
      const frame = JSON.parse(text);
      if (frame.type === "request") respond(frame, (answer) => end.send(JSON.stringify(answer)));
    },
  });
  end.send(JSON.stringify({ type: "hello", ...hello }));
  return end;
}

export async function call(
  registry: TestRegistry,
  name: string,
  args: unknown = {},
  context: Partial<ToolContext> = {},
): Promise<CallResult & { text: string }> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const signal = new AbortController().signal;
  const result = await runTool(tool, args, {
    ...lookAt(registry),
    signal,
    ...context,
  });
  if (result.structuredContent !== undefined) tool.output?.parse(result.structuredContent);
  const [first] = result.content;
  return { ...result, text: first?.type === "text" ? first.text : "" };
}

export async function readResource(uri: string, overrides: ReadContext) {
  const context = {
    ...lookAt(createRegistry()),
    ...overrides,
    signal: new AbortController().signal,
  };
  const call = await readableResource(uri).read({ uri }, context);
  return call.run(context);
}
