import {
  allowAll,
  type Computer,
  createWorld,
  type PlacedComputerOptions,
  type World,
  type WorldOptions,
} from "@ccbridge/cc-host";
import { programText } from "@ccbridge/lua-agent";
import { type Greeting, type Link, ScriptedBridge } from "./scripted-bridge.js";

export interface StartOptions {
  url?: string;
  greeting?: Greeting;
  args?: string;
  computer?: PlacedComputerOptions;
  world?: WorldOptions;
  command?: (url: string) => string;
}

export interface RunningAgent extends AsyncDisposable {
  world: World;
  computer: Computer;
  bridge: ScriptedBridge;
  link(number?: number): Promise<Link>;
  shows(text: string | RegExp): Promise<void>;
  prompt(): Promise<void>;
}

export async function startAgent(options: StartOptions = {}): Promise<RunningAgent> {
  const bridge = new ScriptedBridge();
  if (options.greeting) bridge.greeting = options.greeting;
  await bridge.listen();
  const world = await createWorld({ httpRules: allowAll, ...options.world });
  const computer = world.computer({
    id: 12,
    label: "base-turtle",
    ...options.computer,
    files: { "/mcp-computer.lua": programText, ...options.computer?.files },
  });
  computer.turnOn();
  await prompt(computer);
  const url = options.url ?? bridge.url;
  computer.type(options.command?.(url) ?? `mcp-computer ${url} ${options.args ?? ""}\n`);
  return {
    world,
    computer,
    bridge,
    link: (number = 1) => bridge.link(number),
    shows: (text) => shows(computer, text),
    prompt: () => prompt(computer),
    async [Symbol.asyncDispose]() {
      world.close();
      await bridge.close();
    },
  };
}

export function screenText(computer: Computer): string {
  return computer.screen.text().replace(/\s+/g, " ");
}

export function shows(computer: Computer, text: string | RegExp): Promise<void> {
  return computer.until(() => {
    const screen = screenText(computer);
    return typeof text === "string" ? screen.includes(text) : text.test(screen);
  });
}

export function prompt(computer: Computer): Promise<void> {
  return computer.until(() => /(^|\n)[\w/]*>\s*$/.test(computer.screen.text()));
}
